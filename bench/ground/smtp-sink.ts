import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { freePort } from '../../test/services/free-port.js';
import { waitFor } from '../../test/services/wait-for.js';
import { Skipped } from '../bench.js';

/** Postfix's smtp-sink: takes everything, keeps nothing, costs little. Skips by name where it is absent. */
export async function startSmtpSink(): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const program = ['/usr/sbin/smtp-sink', '/usr/local/sbin/smtp-sink'].find((path) => existsSync(path));
  if (!program) throw new Skipped('smtp-sink is not installed (Debian: postfix)');
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, [...user, '-h', 'sink.example.com', `127.0.0.1:${port}`, '1000'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  await waitFor(() => answers(port), { timeoutMs: 10_000, what: 'smtp-sink to listen' });
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      process.off('exit', onExit);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => {
      socket.end('QUIT\r\n');
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
