import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `postrider serve` as a person runs it: the compiled command line, settings from the environment, signals. */
export interface Served {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Resolves when the process is gone, with its exit code or the signal that ended it. */
  readonly gone: Promise<number | NodeJS.Signals>;
  running(): boolean;
  kill(signal: NodeJS.Signals): void;
  output(): string;
}

export interface ServeOptions {
  roles: string;
  databaseUrl: string;
  smtpPort: number;
  /** Of the API, where `roles` has one. */
  port?: number;
  instance?: string;
  env?: Record<string, string>;
}

const MAIN = fileURLToPath(new URL('../../../.build/bundled/programs/main.js', import.meta.url));

export function spawnServe(options: ServeOptions): Served {
  const child = spawn(process.execPath, [MAIN, 'serve', '--roles', options.roles], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: options.databaseUrl,
      PORT: String(options.port ?? 0),
      EMAIL_MODE: 'smtp',
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(options.smtpPort),
      SMTP_FROM_EMAIL: 'noreply@example.com',
      ...(options.instance ? { POSTRIDER_INSTANCE: options.instance } : {}),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let ended = false;
  const keep = (data: Buffer) => {
    output = (output + data).slice(-20_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  // A test that fails must not leave it behind.
  const endWithUs = () => child.kill('SIGKILL');
  process.on('exit', endWithUs);
  const gone = once(child, 'exit').then(([code, signal]) => {
    ended = true;
    process.off('exit', endWithUs);
    return (signal ?? code) as number | NodeJS.Signals;
  });
  return {
    pid: child.pid ?? 0,
    process: child,
    gone,
    running: () => !ended,
    kill: (signal) => {
      child.kill(signal);
    },
    output: () => output,
  };
}

/** Processor time used so far, all threads, in milliseconds. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The command name in parentheses may hold blanks; user and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** Linux shows times in hundredths of a second to programs, whatever its own tick. */
const MS_PER_TICK = 10;
