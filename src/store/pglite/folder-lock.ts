import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PostriderError } from '../../kernel/index.js';
import { type Beat, type BeatOptions, isBeating, startBeat } from './folder-beat.js';
import {
  describeHolder,
  type Holder,
  identify,
  isRunning,
  parseHolder,
  sharesKernel,
  sharesProcesses,
} from './lock-holder.js';
import { askSocket, isSocketName, openLockSocket } from './lock-socket.js';

/**
 * One process per data folder: two on one folder diverge silently. The lock is a file that names its holder. Whether
 * the holder still lives is asked of what the kernel releases with the process: a socket in the folder, which containers on one
 * machine share with the folder, or the process id where both see the same processes. Where neither can tell, as between two
 * machines, the holder's beat does: it touches the file every second.
 */
export async function lockFolder(folder: string, options: LockOptions = {}): Promise<FolderLock> {
  const path = join(folder, 'postrider.lock');
  const socket = await openLockSocket(folder);
  try {
    const mine = JSON.stringify({
      ...(await identify(process.pid)),
      ...{ socket: socket?.name ?? null, key: randomBytes(8).toString('hex') },
    });
    for (let tries = 0; tries < 5; tries++) {
      if (await place(path, mine)) return await hold({ folder, path, mine, socket, options });
      const found = await readFile(path, 'utf8').catch(absent);
      if (found === null) continue;
      const holder = parseHolder(found);
      if (holder && (await isHeld(folder, path, holder, options)))
        throw locked(`The data folder ${folder} is used by ${describeHolder(holder)}.`);
      await removeStale(path, found);
      if (holder?.socket && isSocketName(holder.socket))
        await rm(join(folder, holder.socket), { force: true });
    }
    throw locked(`The data folder ${folder} is being taken by another process.`);
  } catch (error) {
    await socket?.close();
    throw error;
  }
}

export interface FolderLock {
  /** Throws STORE_UNAVAILABLE where what is written next could be lost: the folder is gone, taken over, or full. */
  check(): Promise<void>;
  /** From now on this file has to be there too. */
  watch(file: string): void;
  release(): Promise<void>;
}

export interface LockOptions extends BeatOptions {
  /** How long a lock whose holder nobody can ask stays untouched before it is taken over. */
  staleAfterMs?: number;
}

const STALE_AFTER_MS = 5000;

function locked(message: string): PostriderError {
  return new PostriderError('STORE_LOCKED', message);
}

interface Held {
  folder: string;
  path: string;
  mine: string;
  socket: { close(): Promise<void> } | null;
  options: LockOptions;
}

async function hold({ folder, path, mine, socket, options }: Held): Promise<FolderLock> {
  const beat: Beat = startBeat({ folder, path, content: mine }, options);
  return {
    check: beat.check,
    watch: beat.watch,
    async release() {
      await beat.stop();
      if ((await readFile(path, 'utf8').catch(absent)) === mine) await rm(path, { force: true });
      await socket?.close();
    },
  };
}

async function isHeld(folder: string, path: string, holder: Holder, options: LockOptions): Promise<boolean> {
  const here = await identify(process.pid);
  if (holder.socket && isSocketName(holder.socket)) {
    const answer = await askSocket(folder, holder.socket);
    if (answer === 'open') return true;
    if (answer === 'closed' && sharesKernel(holder, here)) return false;
  }
  if (sharesProcesses(holder, here)) return isRunning(holder);
  return isBeating(path, options.staleAfterMs ?? STALE_AFTER_MS);
}

/** Linked into place whole, so that nobody ever reads half a lock. Processes of two containers may have one number. */
async function place(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomBytes(4).toString('hex')}.new`;
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
  const aside = `${path}.${randomBytes(4).toString('hex')}.stale`;
  await rename(path, aside).catch(absent);
  const moved = await readFile(aside, 'utf8').catch(absent);
  if (moved !== null && moved !== stale) await place(path, moved);
  await rm(aside, { force: true });
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
