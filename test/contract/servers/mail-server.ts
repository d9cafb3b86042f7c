import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Workspace, waitFor } from '../../services/index.js';

/** A real mail server that stores what it takes, for the tests of the SMTP client. */
export interface MailServer {
  port: number;
  /** The messages in its mailbox, as the server wrote them. */
  stored(): Buffer[];
  stop(): Promise<void>;
}

/** Starts a server's program in a workspace and waits until it greets. */
export async function startMailServer(options: {
  workspace: Workspace;
  port: number;
  program: string;
  args: string[];
  mailbox: string;
}): Promise<MailServer> {
  const { workspace, port, program, args, mailbox } = options;
  const logFile = join(workspace.directory, 'server.log');
  const log = openSync(logFile, 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  if (child.pid === undefined) throw new Error(`${program} does not start`);
  workspace.record({ pid: child.pid });
  const started = waitFor(() => hasEnded(child) || greets(port), {
    timeoutMs: 30_000,
    what: `${program} to greet`,
  });
  await started.catch(() => undefined);
  if (hasEnded(child) || !(await greets(port))) {
    throw new Error(`${program} did not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
  }
  const newMail = join(mailbox, 'new');
  return {
    port,
    stored: () =>
      existsSync(newMail) ? readdirSync(newMail).map((name) => readFileSync(join(newMail, name))) : [],
    async stop() {
      child.kill('SIGTERM');
      await waitFor(() => hasEnded(child), { timeoutMs: 20_000, what: `${program} to end` });
      workspace.remove();
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', (chunk) => {
      resolve(chunk.toString().startsWith('220'));
      socket.end('QUIT\r\n');
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
