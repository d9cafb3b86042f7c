import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ChildCommand, ChildEvent, ChildOptions } from './child.js';

/** Starts a child of child.ts from the compiled sources and talks to it. */
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
  /** What it printed, for the message of a failed test. */
  output(): string;
}

const SCRIPT = fileURLToPath(new URL('../../../.build/test/chaos/ground/child.js', import.meta.url));

export function spawnChild(options: ChildOptions): Child {
  const child = fork(SCRIPT, [], {
    env: { ...process.env, CHAOS_OPTIONS: JSON.stringify(options) },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const events: ChildEvent[] = [];
  let output = '';
  let dead = false;
  const waiting = new Set<{ kind: string; resolve(event: ChildEvent): void; reject(error: Error): void }>();
  child.stdout?.on('data', (data) => {
    output = (output + data).slice(-20_000);
  });
  child.stderr?.on('data', (data) => {
    output = (output + data).slice(-20_000);
  });
  child.on('message', (event: ChildEvent) => {
    events.push(event);
    for (const waiter of waiting) {
      if (waiter.kind === event.event) {
        waiting.delete(waiter);
        waiter.resolve(event);
      } else if (event.event === 'failed') {
        waiting.delete(waiter);
        waiter.reject(new Error(`child failed: ${event.message}`));
      }
    }
  });
  const gone = once(child, 'exit').then(([, signal]) => {
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
    say: (command) => {
      if (child.connected) child.send(command);
    },
    next: (kind) =>
      new Promise((resolve, reject) => {
        if (dead) return reject(new Error(`child is dead: ${output}`));
        waiting.add({ kind, resolve: resolve as (event: ChildEvent) => void, reject });
      }),
    kill: (signal = 'SIGKILL') => {
      child.kill(signal);
    },
    output: () => output,
  };
}
