import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ProbeReport, ProbeRequest } from './probe.js';

/**
 * The process under attack: `postrider serve` as compiled, with the probe inside, a limited heap, and settings from the
 * environment. Its death is an answer, never an error of the harness.
 */
export interface Victim {
  readonly pid: number;
  running(): boolean;
  /** Why it is gone: the signal, the exit code, or the memory it was ended for. */
  death(): string | null;
  /** Rejects when the process dies or does not answer in time. */
  ask(request: ProbeRequest, timeoutMs: number): Promise<ProbeReport>;
  output(): string;
  /** Processor time its main thread has used so far, in milliseconds; where the system does not say, the time. */
  cpuMs(): number;
  kill(why: string): Promise<void>;
}

const MAIN = fileURLToPath(new URL('../../../.build/bundled/programs/main.js', import.meta.url));
const PROBE = new URL('../../../.build/test/abuse/harness/probe.js', import.meta.url).href;
/** A process that holds more than this is ended, before it takes the machine's memory. */
const MOST_RESIDENT_BYTES = 3 * 1024 ** 3;

export function startVictim(env: Record<string, string>): Victim {
  const child = fork(MAIN, ['serve', '--roles', 'api,worker,scheduler,smtp'], {
    env: { PATH: process.env.PATH, ...env },
    execArgv: ['--import', PROBE, '--expose-gc', '--max-old-space-size=1024'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  let death: string | null = null;
  let killedFor: string | null = null;
  const keep = (data: Buffer) => {
    output = (output + data).slice(-10_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  child.on('error', () => undefined); // a message to a process that has just died
  const endWithUs = () => child.kill('SIGKILL');
  process.on('exit', endWithUs);
  const gone = once(child, 'exit').then(([code, signal]) => {
    death =
      killedFor ??
      (/heap out of memory|Allocation failed/.test(output) ? 'out of memory' : String(signal ?? code));
    clearInterval(watching);
    process.off('exit', endWithUs);
  });
  const watching = setInterval(() => {
    if (residentBytesOf(child) <= MOST_RESIDENT_BYTES) return;
    killedFor ??= `held more than ${MOST_RESIDENT_BYTES / 1024 ** 3} GB`;
    child.kill('SIGKILL');
  }, 100);
  return {
    pid: child.pid ?? 0,
    running: () => death === null,
    death: () => death,
    output: () => output,
    cpuMs: () => mainThreadMsOf(child),
    ask: (request, timeoutMs) => askChild(child, gone, request, timeoutMs),
    async kill(why) {
      killedFor ??= why;
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function askChild(
  child: ChildProcess,
  gone: Promise<void>,
  request: ProbeRequest,
  timeoutMs: number,
): Promise<ProbeReport> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => done(() => reject(new Error('hung'))), timeoutMs);
    const onMessage = (report: ProbeReport) => done(() => resolve(report));
    function done(then: () => void): void {
      clearTimeout(timer);
      child.off('message', onMessage);
      then();
    }
    child.once('message', onMessage);
    void gone.then(() => done(() => reject(new Error('dead'))));
    if (child.connected) child.send(request, () => undefined);
  });
}

function residentBytesOf({ pid }: ChildProcess): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // gone, or a system without /proc
  }
}

function mainThreadMsOf({ pid }: ChildProcess): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
