import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port.js';
import { type RedisServer, type RedisServerOptions, redisSettings } from './redis-server.js';
import { type Unavailable, unavailable } from './service.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/** A Redis from this machine's own program, in a temporary folder, on loopback and a free port. */
export async function redisFromBinaries(
  options: RedisServerOptions = {},
): Promise<RedisServer | Unavailable> {
  const folder = (process.env.PATH ?? '')
    .split(delimiter)
    .find((candidate) => candidate !== '' && existsSync(join(candidate, 'redis-server')));
  if (!folder) return unavailable('no redis-server on PATH');
  const workspace = openWorkspace('redis');
  const port = await freePort();
  const logFile = join(workspace.directory, 'server.log');
  let child: ChildProcess | undefined;
  const end = async () => {
    if (!child || hasEnded(child)) return;
    const ending = child;
    ending.kill('SIGKILL');
    await waitFor(() => hasEnded(ending), { timeoutMs: 10_000, what: 'Redis to end' });
  };
  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    origin: `local binaries in ${folder}, port ${port}`,
    async start() {
      if (child && !hasEnded(child)) return;
      const log = openSync(logFile, 'a');
      child = spawn(
        join(folder, 'redis-server'),
        [
          '--port',
          String(port),
          '--bind',
          '127.0.0.1',
          '--dir',
          workspace.directory,
          ...redisSettings(options),
        ],
        { cwd: workspace.directory, stdio: ['ignore', log, log], detached: true },
      );
      closeSync(log);
      await once(child, 'spawn');
      workspace.record({ pid: child.pid! });
      child.unref();
      const started = child;
      await waitFor(async () => hasEnded(started) || (await answersPing(port)), {
        timeoutMs: 30_000,
        what: 'Redis to answer',
      });
      if (hasEnded(started))
        throw new Error(`Redis did not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
    },
    kill: end,
    async remove() {
      await end();
      workspace.remove();
    },
  };
  await server.start();
  return server;
}

/** Whether whoever listens there speaks Redis. */
export function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('data', (data) => end(data.toString().startsWith('+PONG')));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
