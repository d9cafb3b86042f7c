import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { freePort } from './free-port.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/**
 * The name server Erlang nodes find each other by (epmd), on a port of its own. A node starts one by itself
 * where none answers, and that one would stay for ever; this one goes with its workspace.
 */
export async function startErlangNames(): Promise<ErlangNames> {
  const workspace = openWorkspace('erlang-names');
  const port = await freePort();
  const child = spawn('epmd', ['-port', String(port), '-address', '127.0.0.1'], {
    stdio: 'ignore',
    detached: true,
  });
  await once(child, 'spawn');
  workspace.record({ pid: child.pid! });
  child.unref();
  await waitFor(() => answers(port), { timeoutMs: 10_000, what: 'epmd to listen' });
  return { port, remove: () => workspace.remove() };
}

export interface ErlangNames {
  port: number;
  remove(): void;
}

/** Whether somebody listens on a loopback port. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
