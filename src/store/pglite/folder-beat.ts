import { readFile, stat, statfs, utimes } from 'node:fs/promises';
import { delay, messageOf, PostriderError, systemClock } from '../../kernel/index.js';

/**
 * The holder of a data folder touches its lock every second, and finds out by it that the folder was deleted, that
 * another process has taken it (after this one was frozen), or that the disk is full. From then on calls are refused: the database
 * itself would go on in memory and in files that are no longer in any folder, and lose what it accepts.
 */
export function startBeat(lock: HeldLock, options: BeatOptions = {}): Beat {
  const { beatMs = BEAT_MS, clock = systemClock, freeBytes = freeBytesOf } = options;
  const watched: string[] = [];
  let trouble: PostriderError | null = null;
  /** Nothing brings these back: the files in use are no longer those of the folder. */
  let lost = false;
  let lastBeat = { wall: clock.now(), monotonic: clock.monotonic() };
  let beating: Promise<void> | null = null;
  let stopped = false;

  function beat(): Promise<void> {
    beating ??= look().finally(() => {
      beating = null;
    });
    return beating;
  }

  async function look(): Promise<void> {
    if (lost || stopped) return;
    try {
      const content = await readFile(lock.path, 'utf8');
      if (content !== lock.content) return lose('has been taken over by another process');
      for (const file of watched) await stat(file);
      const now = new Date(clock.now());
      await utimes(lock.path, now, now);
      const free = await freeBytes(lock.folder);
      if (free < MIN_FREE_BYTES) {
        const [has, needs] = [free, MIN_FREE_BYTES].map((bytes) => Math.floor(bytes / 1024 ** 2));
        trouble = unavailable(`has ${has} MB left on its disk; ${needs} MB are needed to write safely`);
      } else trouble = null;
      lastBeat = { wall: clock.now(), monotonic: clock.monotonic() };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return lose('has been deleted or moved');
      trouble = unavailable(`cannot be written: ${messageOf(error)}`, error);
    }
  }

  function lose(says: string): void {
    lost = true;
    trouble = unavailable(`${says} while this process used it; start it again`);
  }

  function unavailable(says: string, cause?: unknown): PostriderError {
    const message = `The folder ${lock.folder} of the embedded store ${says}.`;
    return new PostriderError('STORE_UNAVAILABLE', message, { cause, retryAfterSeconds: 1 });
  }

  const timer = setInterval(() => void beat(), beatMs);
  timer.unref();

  return {
    async check() {
      // A process that was stopped for a while may have been taken for dead meanwhile.
      const sinceMs = Math.max(clock.now() - lastBeat.wall, clock.monotonic() - lastBeat.monotonic);
      if (sinceMs > FRESH_MS) await beat();
      if (trouble) throw trouble;
    },
    watch: (file) => void watched.push(file),
    async stop() {
      stopped = true;
      clearInterval(timer);
      await beating;
    },
  };
}

/** Whether somebody touches the file, by this process's own clock: those of two machines may differ. */
export async function isBeating(path: string, forMs: number): Promise<boolean> {
  const first = await touchedAt(path);
  const until = systemClock.monotonic() + forMs;
  while (systemClock.monotonic() < until) {
    await delay(Math.min(LOOK_MS, forMs));
    const last = await touchedAt(path);
    if (last === null) return false;
    if (last !== first) return true;
  }
  return false;
}

export interface HeldLock {
  folder: string;
  path: string;
  content: string;
}

export interface BeatOptions {
  beatMs?: number;
  clock?: typeof systemClock;
  /** For tests; of the folder's disk unless given. */
  freeBytes?: (folder: string) => Promise<number>;
}

export interface Beat {
  check(): Promise<void>;
  watch(file: string): void;
  stop(): Promise<void>;
}

const BEAT_MS = 1000;
const FRESH_MS = 2500;
const LOOK_MS = 250;
/** Two segments of the write-ahead log. */
const MIN_FREE_BYTES = 32 * 1024 ** 2;

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function touchedAt(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    },
  );
}
