import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PostriderError } from '../../kernel/index.js';

/**
 * One process per data folder: two on one folder diverge silently. The lock is a file naming the
 * holder; a holder that no longer runs (its pid is free or belongs to a younger process) is passed over.
 */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'postrider.lock');
  const mine = JSON.stringify(await identify(process.pid));
  for (let tries = 0; tries < 5; tries++) {
    if (await place(path, mine)) {
      return async () => {
        if ((await readFile(path, 'utf8').catch(absent)) === mine) await rm(path, { force: true });
      };
    }
    const found = await readFile(path, 'utf8').catch(absent);
    if (found === null) continue;
    if (await isHeld(found)) {
      throw new PostriderError(
        'STORE_LOCKED',
        `The data folder ${folder} is used by process ${pidOf(found)}.`,
      );
    }
    await removeStale(path, found);
  }
  throw new PostriderError('STORE_LOCKED', `The data folder ${folder} is being taken by another process.`);
}

/** Linked into place whole, so that nobody ever reads half a lock. */
async function place(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, content, { flush: true });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Of two finders of one stale lock the slower may move the faster one's new lock: it puts it back. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.${process.pid}.stale`;
  await rename(path, aside).catch(absent);
  const moved = await readFile(aside, 'utf8').catch(absent);
  if (moved !== null && moved !== stale) await place(path, moved);
  await rm(aside, { force: true });
}

interface Holder {
  pid: number;
  /** Start time of the process in clock ticks, where /proc tells. */
  started: string | null;
}

async function identify(pid: number): Promise<Holder> {
  return { pid, started: (await processStat(pid))?.started ?? null };
}

async function isHeld(content: string): Promise<boolean> {
  const holder = parse(content);
  if (!holder || !isAlive(holder.pid)) return false;
  const stat = await processStat(holder.pid);
  // Killed but not yet reaped by its parent, as under a container's first process.
  if (stat?.state === 'Z') return false;
  return (stat?.started ?? null) === holder.started;
}

async function processStat(pid: number): Promise<{ state: string; started: string } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(absent);
  if (stat === null) return null;
  // The command name in parentheses may hold blanks; after it come the state and, 20th, the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', started: fields[19] ?? '' };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function parse(content: string): Holder | null {
  try {
    const value = JSON.parse(content) as Holder;
    return Number.isInteger(value.pid) ? value : null;
  } catch {
    return null;
  }
}

function pidOf(content: string): string {
  return String(parse(content)?.pid ?? 'unknown');
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ESRCH') return null;
  throw error;
}
