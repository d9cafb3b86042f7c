import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort, waitFor } from '../../services/index.js';

/** Postfix's own test server with the given flags, on a free port. As root it takes another user's rights. */
export async function startSmtpSink(
  commands: string,
  flags: string[],
): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await freePort();
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(join(commands, 'smtp-sink'), [...user, ...flags, `127.0.0.1:${port}`, '100'], {
    stdio: 'ignore',
  });
  await waitFor(() => listens(port), { timeoutMs: 10_000, what: 'smtp-sink to listen', everyMs: 5 });
  return { port, stop: () => end(child) };
}

/** A connection is enough: with -Q CONNECT and its like there is no greeting to wait for. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
