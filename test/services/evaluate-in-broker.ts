import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { RabbitControl } from './rabbitmq-server.js';

/**
 * Evaluates Erlang expressions in a broker that runs from local programs and returns the string they end in. `erl_call`
 * takes milliseconds, where a command of rabbitmqctl starts an Erlang machine of its own: half a second of a core.
 * Null where there is no `erl_call`, and where the broker's version knows no such function: then the command is run.
 */
export async function evaluateInBroker(control: RabbitControl, expressions: string): Promise<string | null> {
  if (!control.erlCall) return null;
  const { command, env } = control.erlCall;
  const printed = await new Promise<string>((resolve) => {
    // A broker takes no two callers of one name at once, and without one all have the same.
    const name = ['-h', `caller-${randomBytes(6).toString('hex')}`];
    const options = { env: { ...process.env, ...env }, timeout: 60_000 };
    const child = execFile(command[0]!, [...command.slice(1), ...name, '-e'], options, (_error, stdout) =>
      resolve(stdout),
    );
    child.stdin?.on('error', () => undefined); // it has ended, and says so with what it printed
    child.stdin?.end(`${expressions}.\n`);
  });
  const said = /^\{ok, (?:"([\s\S]*)"|\[\])\}\s*$/.exec(printed);
  return said ? (said[1] ?? '') : null;
}
