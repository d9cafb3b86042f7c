import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildCommand, ChildEvent, ChildOptions } from './child.js';

/** Starts a child of child.ts, as bundle-programs.ts has made one file of it, and talks to it. */
export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Every event received so far. */
  readonly events: ChildEvent[];
  say(command: ChildCommand): void;
  /** Resolves with the event, or rejects when the child has died. */
  next<Kind extends ChildEvent['event']>(kind: Kind): Promise<Extract<ChildEvent, { event: Kind }>>;
  /** Resolves when the process is gone, with the signal that ended it. */
  readonly gone: Promise<NodeJS.Signals | null>;
  kill(signal?: NodeJS.Signals): void;
  /** Asks the child's own store; rejects when the child has died. */
  query<Row>(sql: string, values?: unknown[]): Promise<{ rows: Row[] }>;
  /** Where it killed itself, once it is gone; null when it did not. */
  diedAt(): string | null;
  /** What it printed, for the message of a failed test. */
  output(): string;
}

const SCRIPT = fileURLToPath(new URL('../../../.build/bundled/programs/child.js', import.meta.url));

export function spawnChild(options: ChildOptions): Child {
  const child = fork(SCRIPT, [], {
    env: { ...process.env, CHAOS_OPTIONS: JSON.stringify(options) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // Dates arrive as dates.
    serialization: 'advanced',
    // A life of a second does not repay the optimising of the embedded database's code.
    execArgv: typeof options.database === 'string' ? [] : ['--liftoff-only'],
  });
  const events: ChildEvent[] = [];
  let output = '';
  let dead = false;
  let lastQuery = 0;
  const waiting = new Set<Waiter>();
  const wait = <Kind extends ChildEvent['event']>(kind: Kind, id?: number) =>
    new Promise<Extract<ChildEvent, { event: Kind }>>((resolve, reject) => {
      if (dead) return reject(new Error(`child is dead: ${output}`));
      waiting.add({ kind, id, resolve: resolve as (event: ChildEvent) => void, reject });
    });
  const say = (command: ChildCommand) => {
    // One that has just died cannot be told; who waits for its answer hears of the death.
    if (child.connected) child.send(command, () => undefined);
  };
  child.stdout?.on('data', (data) => {
    output = (output + data).slice(-20_000);
  });
  child.stderr?.on('data', (data) => {
    output = (output + data).slice(-20_000);
  });
  child.on('message', (event: ChildEvent) => {
    events.push(event);
    for (const waiter of waiting) {
      if (waiter.kind === event.event && (event.event !== 'rows' || event.id === waiter.id)) {
        waiting.delete(waiter);
        waiter.resolve(event);
      } else if (event.event === 'failed') {
        waiting.delete(waiter);
        waiter.reject(new Error(`child failed: ${event.message}`));
      }
    }
  });
  const gone = once(child, 'close').then(([, signal]) => {
    dead = true;
    for (const waiter of waiting) waiter.reject(new Error(`child died (${signal ?? 'exit'}): ${output}`));
    waiting.clear();
    return signal as NodeJS.Signals | null;
  });
  return {
    pid: child.pid ?? 0,
    process: child,
    events,
    gone,
    say,
    next: (kind) => wait(kind),
    kill: (signal = 'SIGKILL') => {
      child.kill(signal);
    },
    async query<Row>(sql: string, values: unknown[] = []) {
      const id = ++lastQuery;
      const answer = wait('rows', id);
      say({ do: 'query', id, sql, values });
      return { rows: (await answer).rows as Row[] };
    },
    diedAt: () => /^dies at (\S+)$/m.exec(output)?.[1] ?? null,
    output: () => output,
  };
}

interface Waiter {
  kind: string;
  /** For `rows`: the answer to this question. */
  id: number | undefined;
  resolve(event: ChildEvent): void;
  reject(error: Error): void;
}
