import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { inject } from 'vitest';
import { freePort } from './free-port.js';
import { versionOf } from './pgbouncer.js';
import { unprivilegedUser } from './unprivileged-user.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/** One PgBouncer in front of one database, on loopback and a free port. */
export interface Pooler {
  /** The database through it. */
  url: string;
  remove(): Promise<void>;
}

export interface PoolerOptions {
  /** The database behind it. */
  url: string;
  mode: 'session' | 'transaction' | 'statement';
  /** Others of pgbouncer.ini. */
  settings?: Record<string, string | number>;
}

export async function startPooler({ url, mode, settings = {} }: PoolerOptions): Promise<Pooler> {
  const program = inject('pgbouncerUrl');
  if (!program) throw new Error('no PgBouncer for the tests: see the line about pgbouncer at the start');
  const behind = new URL(url);
  const user = unprivilegedUser();
  const workspace = openWorkspace('pgbouncer');
  const port = await freePort();
  const place = (name: string) => join(workspace.directory, name);
  const files = {
    'users.txt': `"${decodeURIComponent(behind.username)}" "${decodeURIComponent(behind.password)}"\n`,
    'pgbouncer.ini': [
      '[databases]',
      `* = host=${behind.hostname} port=${behind.port || 5432}`,
      '[pgbouncer]',
      ...Object.entries({
        listen_addr: '127.0.0.1',
        listen_port: port,
        unix_socket_dir: '',
        auth_type: 'trust',
        auth_file: place('users.txt'),
        pool_mode: mode,
        ...settings,
      }).map(([name, value]) => `${name} = ${value}`),
      '',
    ].join('\n'),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(place(name), text, { mode: 0o600 });
    if (user) chownSync(place(name), user.uid, user.gid);
  }
  const logFile = place('pgbouncer.log');
  const log = openSync(logFile, 'a');
  const child = spawn(program, ['-q', place('pgbouncer.ini')], {
    cwd: workspace.directory,
    stdio: ['ignore', log, log],
    detached: true,
    ...user,
  });
  closeSync(log);
  await once(child, 'spawn');
  workspace.record({ pid: child.pid! });
  child.unref();
  await waitFor(async () => hasEnded(child) || (await listens(port)), {
    timeoutMs: 30_000,
    what: 'PgBouncer to listen',
  });
  if (hasEnded(child)) throw new Error(`PgBouncer did not start:\n${readFileSync(logFile, 'utf8')}`);
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  return {
    url: through.href,
    async remove() {
      child.kill('SIGKILL');
      await waitFor(() => hasEnded(child), { timeoutMs: 10_000, what: 'PgBouncer to end' });
      workspace.remove();
    },
  };
}

/** Since 1.21 PgBouncer can keep prepared statements in transaction mode. */
export function poolerKeepsPrepared(): boolean {
  const program = inject('pgbouncerUrl');
  const [major = 0, minor = 0] = (program && versionOf(program)) || [];
  return major > 1 || (major === 1 && minor >= 21);
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
