import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RabbitControl } from './rabbitmq-server.js';

/** Runs one command of `rabbitmqctl` and returns what it prints; throws with its own words. */
export async function runRabbitControl(control: RabbitControl, ...args: string[]): Promise<string> {
  const [program, ...before] = control.command;
  try {
    const { stdout } = await run(program!, [...before, ...args], {
      env: { ...process.env, ...control.env },
      timeout: 180_000,
    });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`rabbitmqctl ${args[0]} failed: ${`${stderr}${stdout}`.trim() || error}`, {
      cause: error,
    });
  }
}

const run = promisify(execFile);
