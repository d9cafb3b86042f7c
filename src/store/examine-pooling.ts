import { delay, newId } from '../kernel/index.js';
import type { Pooling, Queryable } from './database.js';
import { isStatementLost } from './store-errors.js';

/**
 * Finds out whether a pooler stands between this process and the server, and what it does with prepared statements.
 * Two connections ask for the id of their server process, one of them inside a transaction: a pooler that shares
 * connections gives both the same process, or one of them another process than before. Behind a pooler that is busy
 * with others a round may show nothing, so there are several; without any sign the connections count as our own.
 */
export async function examinePooling(
  one: Queryable,
  other: Queryable,
  { prepare }: { prepare: boolean },
): Promise<Pooling> {
  const text = 'select pg_backend_pid() as pid';
  // A name of its own: another process may have left the same statement on a shared connection.
  const statement = prepare ? { name: `store_pooling_${newId()}`, text } : text;
  const processOf = async (connection: Queryable) =>
    (await connection.query<{ pid: number }>(statement)).rows[0]?.pid;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const before = await processOf(one);
      // Where server connections take turns, the next is another.
      const again = await processOf(one);
      await other.query('begin');
      const held = await processOf(other);
      const asked = held === before ? null : processOf(one);
      await settled(asked, ANSWER_MS);
      // A pooler with one connection left answers only now.
      await other.query('commit');
      if (asked === null || again !== before || (await asked) !== before)
        return { shared: true, keepsStatements: prepare };
    }
    return { shared: false, keepsStatements: prepare };
  } catch (error) {
    if (!isStatementLost(error)) throw error;
    await other.query('rollback');
    return { shared: true, keepsStatements: false };
  }
}

const ROUNDS = 3;
const ANSWER_MS = 300;

/** Waits for an answer or a failure, which are read later. */
async function settled(answer: Promise<unknown> | null, withinMs: number): Promise<void> {
  const over = new AbortController();
  await Promise.race([Promise.allSettled([answer]), delay(withinMs, over.signal)]);
  over.abort();
}
