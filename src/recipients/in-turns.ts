import { nextTurn } from '../kernel/index.js';

/** Ten thousand entries are read in as many milliseconds as a hundred requests take: others are served in between. */
export async function inTurns<From, To>(
  entries: readonly From[],
  read: (entry: From, index: number) => To,
): Promise<To[]> {
  const out: To[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index > 0 && index % ENTRIES_PER_TURN === 0) await nextTurn();
    out.push(read(entry, index));
  }
  return out;
}

const ENTRIES_PER_TURN = 250;
