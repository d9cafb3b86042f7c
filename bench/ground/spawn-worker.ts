import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { WorkerCommand, WorkerEvent, WorkerOptions } from './worker-child.js';

/** A worker in a process of its own. With BENCH_CPU_PROF=folder it leaves a profile there when it stops. */
export interface BenchWorker {
  readonly pid: number;
  /** Sends a command and gives the next event of that kind; rejects when the process dies first. */
  ask<Kind extends WorkerEvent['event']>(command: WorkerCommand, kind: Kind): Promise<EventOf<Kind>>;
  next<Kind extends WorkerEvent['event']>(kind: Kind): Promise<EventOf<Kind>>;
  /** Calls back for every event of a kind. */
  on<Kind extends WorkerEvent['event']>(kind: Kind, fn: (event: EventOf<Kind>) => void): void;
  stop(): Promise<void>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
}

type EventOf<Kind extends WorkerEvent['event']> = Extract<WorkerEvent, { event: Kind }>;

const SCRIPT = fileURLToPath(new URL('./worker-child.js', import.meta.url));
const PATIENCE_MS = 240_000;

/** `env` are more settings, as of an engine; `node` is the Node it runs on, without it this one. */
export async function spawnWorker(
  options: WorkerOptions,
  env: Record<string, string> = {},
  node = process.execPath,
): Promise<BenchWorker> {
  const profile = process.env.BENCH_CPU_PROF;
  const child = fork(SCRIPT, [], {
    execPath: node,
    env: { ...process.env, ...env, BENCH_WORKER: JSON.stringify(options) },
    execArgv: profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const listeners = new Set<{ kind: string; hear(event: WorkerEvent): void; fail(error: Error): void }>();
  let dead = false;
  child.on('message', (event: WorkerEvent) => {
    for (const listener of [...listeners]) if (listener.kind === event.event) listener.hear(event);
  });
  const gone = once(child, 'exit').then(() => {
    dead = true;
    for (const listener of listeners) listener.fail(new Error('the worker process has ended'));
    listeners.clear();
  });

  const next = <Kind extends WorkerEvent['event']>(kind: Kind): Promise<EventOf<Kind>> =>
    new Promise((resolve, reject) => {
      if (dead) return reject(new Error('the worker process has ended'));
      const settle = (then: () => void) => {
        clearTimeout(timer);
        listeners.delete(listener);
        then();
      };
      const listener = {
        kind,
        hear: (event: WorkerEvent) => settle(() => resolve(event as EventOf<Kind>)),
        fail: (error: Error) => settle(() => reject(error)),
      };
      const timer = setTimeout(
        () => listener.fail(new Error(`no "${kind}" within ${PATIENCE_MS} ms`)),
        PATIENCE_MS,
      );
      listeners.add(listener);
    });

  await next('ready');
  return {
    pid: child.pid ?? 0,
    next,
    ask(command, kind) {
      const answer = next(kind);
      child.send(command);
      return answer;
    },
    on: (kind, fn) => {
      listeners.add({ kind, hear: fn as (event: WorkerEvent) => void, fail: () => {} });
    },
    async stop() {
      if (dead) return;
      child.send({ do: 'stop' } satisfies WorkerCommand);
      await gone;
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
