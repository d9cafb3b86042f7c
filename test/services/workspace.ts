import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { processMark } from './process-mark.js';

/**
 * A temporary folder for one server, with a record of who owns it and what was started in it.
 * It promises that the server and the folder go when the owner goes, and if the owner was killed, when the
 * next run starts. It ends only processes and containers recorded here, and only while their mark still fits.
 * Everything is synchronous so that it also works while the process is exiting.
 */
export interface Workspace {
  directory: string;
  /** Notes what runs here now; replaces the note before. */
  record(started: Started): void;
  remove(): void;
}

export type Started = { pid: number } | { container: string };

export function openWorkspace(name: string): Workspace {
  if (!watchingExit) {
    watchingExit = true;
    process.on('exit', removeOwnWorkspaces);
    removeStaleWorkspaces();
  }
  const directory = mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-${name}-`));
  chmodSync(directory, 0o711); // the server may run as another user
  const owner: Owner = {
    host: hostname(),
    ...identify(process.pid),
    parent: identify(process.ppid),
    isWorker: process.env.VITEST_WORKER_ID !== undefined,
  };
  writeFileSync(join(directory, OWNER), JSON.stringify(owner));
  own.add(directory);
  return {
    directory,
    record(started) {
      const mark = 'pid' in started ? processMark(started.pid) : undefined;
      writeFileSync(join(directory, STARTED), JSON.stringify({ ...started, mark }));
    },
    remove: () => removeWorkspace(directory),
  };
}

/** Removes what this process and the workers it started have opened. */
export function removeOwnWorkspaces(): void {
  for (const directory of own) removeWorkspace(directory);
  for (const { directory, owner } of workspaces()) {
    if (owner?.parent.pid === process.pid || owner?.pid === process.pid) removeWorkspace(directory);
  }
}

/** An interrupt skips `exit` handlers, so the runner asks for this. */
export function removeOwnWorkspacesOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      removeOwnWorkspaces();
      process.exit(128 + constants.signals[signal]);
    });
  }
}

/**
 * Removes what killed runs have left: folders of this machine and user whose owner is gone. A test worker may
 * outlive its killed runner for as long as its test runs, so there the runner counts too.
 */
export function removeStaleWorkspaces(): number {
  const stale = workspaces().filter(({ directory, owner }) => {
    const ownerPid = Number(directory.slice(join(tmpdir(), PREFIX).length).split('-')[0]);
    if (owner === undefined) return processMark(ownerPid) === undefined;
    return owner.host === hostname() && (isGone(owner) || (owner.isWorker && isGone(owner.parent)));
  });
  for (const { directory } of stale) removeWorkspace(directory);
  return stale.length;
}

const PREFIX = 'postrider-services-';
const OWNER = 'owner.json';
const STARTED = 'started.json';
const own = new Set<string>();
let watchingExit = false;

interface Identity {
  pid: number;
  mark?: string | undefined;
}

interface Owner extends Identity {
  host: string;
  parent: Identity;
  isWorker: boolean;
}

function identify(pid: number): Identity {
  return { pid, mark: processMark(pid) };
}

function isGone({ pid, mark }: Identity): boolean {
  return processMark(pid) !== mark;
}

/** Another user's folder is not listed: what it records could name any process. */
function workspaces(): Array<{ directory: string; owner: Owner | undefined }> {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => join(tmpdir(), name))
    .filter((directory) => statSync(directory, { throwIfNoEntry: false })?.uid === process.getuid?.())
    .map((directory) => ({ directory, owner: readJson<Owner>(join(directory, OWNER)) }));
}

function removeWorkspace(directory: string): void {
  const started = readJson<{ pid?: number; mark?: string; container?: string }>(join(directory, STARTED));
  if (started?.container) spawnSync('docker', ['rm', '--force', '--volumes', started.container]);
  if (started?.pid && started.mark) end(started.pid, started.mark);
  rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  own.delete(directory);
}

/** SIGQUIT first (PostgreSQL's immediate stop: children end too), SIGKILL for what does not listen. */
function end(pid: number, mark: string): void {
  for (const [signal, patienceMs] of [
    ['SIGCONT', 0],
    ['SIGQUIT', 5000],
    ['SIGKILL', 2000],
  ] as const) {
    if (processMark(pid) !== mark) return;
    process.kill(pid, signal);
    const deadline = performance.now() + patienceMs;
    while (performance.now() < deadline && processMark(pid) === mark) {
      Atomics.wait(sleeper, 0, 0, 10);
    }
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined; // absent or cut off by a kill: then nothing is known, and nothing is ended
  }
}
