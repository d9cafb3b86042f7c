import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load } from './load-child.js';

const SCRIPT = fileURLToPath(new URL('./load-child.js', import.meta.url));

/** The seconds a load took in a process of its own, on this Node or on the one named. */
export function spawnLoad(load: Load, node = process.execPath): Promise<number> {
  const child = fork(SCRIPT, [], {
    execPath: node,
    execArgv: [],
    env: { ...process.env, BENCH_LOAD: JSON.stringify(load) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', ({ seconds }: { seconds: number }) => resolve(seconds));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the load "${load.do}" ended with code ${code}`)));
  });
}
