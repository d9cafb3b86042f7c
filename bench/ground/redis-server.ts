import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from '../../test/services/free-port.js';
import { waitFor } from '../../test/services/wait-for.js';
import { openWorkspace } from '../../test/services/workspace.js';
import { Skipped } from '../bench.js';

/**
 * A Redis of its own on loopback, as BullMQ's documentation asks for: an append-only file flushed every
 * second, and no eviction. The file is not rewritten meanwhile, as PostgreSQL makes no checkpoint meanwhile. Skips by name
 * where there is none.
 */
export async function startRedis(): Promise<RedisServer> {
  const workspace = openWorkspace('redis');
  const port = await freePort();
  const options = {
    port: String(port),
    bind: '127.0.0.1',
    dir: workspace.directory,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'auto-aof-rewrite-percentage': '0',
    'maxmemory-policy': 'noeviction',
  };
  const child = spawn(
    'redis-server',
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]),
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const started = await once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!started) {
    workspace.remove();
    throw new Skipped('redis-server is not installed (Debian: redis-server)');
  }
  workspace.record({ pid: child.pid! });
  await waitFor(() => answers(port), { timeoutMs: 10_000, what: 'Redis to listen' });
  return {
    port,
    pid: child.pid!,
    async stop() {
      const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      child.kill('SIGKILL');
      await gone;
      workspace.remove();
    },
  };
}

export interface RedisServer {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
