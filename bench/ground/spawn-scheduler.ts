import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { SchedulerEvent, SchedulerOptions } from './scheduler-child.js';

/** A scheduler in a process of its own, so that its memory is its own. */
export interface BenchScheduler {
  readonly pid: number;
  /** Runs a schedule now; resolves when its run is over. */
  run(name: string, onProgress: (queued: number) => void): Promise<{ queued: number; ms: number }>;
  stop(): Promise<void>;
}

const SCRIPT = fileURLToPath(new URL('./scheduler-child.js', import.meta.url));

export async function spawnScheduler(options: SchedulerOptions): Promise<BenchScheduler> {
  const profile = process.env.BENCH_CPU_PROF;
  const child = fork(SCRIPT, [], {
    env: { ...process.env, BENCH_SCHEDULER: JSON.stringify(options) },
    execArgv: profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const gone = once(child, 'exit');
  await once(child, 'message');
  return {
    pid: child.pid ?? 0,
    run: (name, onProgress) =>
      new Promise((resolve, reject) => {
        child.on('message', (event: SchedulerEvent) => {
          if (event.event === 'progress') onProgress(event.queued);
          if (event.event === 'over') resolve(event);
          if (event.event === 'failed') reject(new Error(event.message));
        });
        gone.then(() => reject(new Error('the scheduler process has ended')));
        child.send({ run: name });
      }),
    async stop() {
      child.send({ stop: true });
      await gone;
    },
  };
}
