import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Load } from './load-child.js';

const SCRIPT = fileURLToPath(new URL('./load-child.js', import.meta.url));
const PATIENCE_MS = 240_000;

/** The seconds a load took in a process of its own, on the Node named, and which that is. */
export function spawnLoad(load: Load, node: string): Promise<{ seconds: number; node: string }> {
  const child = fork(SCRIPT, [], {
    execPath: node,
    execArgv: [],
    env: { ...process.env, BENCH_LOAD: JSON.stringify(load) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const patience = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  return new Promise((resolve, reject) => {
    child.once('message', (answer: { seconds: number; node: string }) => resolve(answer));
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(patience);
      reject(new Error(`the load "${load.do}" ended with ${signal ?? `code ${code}`}`));
    });
  });
}
