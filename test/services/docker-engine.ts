import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs one docker command and returns its output; throws with docker's own words. */
export async function docker(...args: string[]): Promise<string> {
  const { stdout } = await run('docker', args, { timeout: 300_000 });
  return stdout.trim();
}

/** Whether an engine answers; a client without an engine is not enough. */
export async function dockerAnswers(): Promise<boolean> {
  try {
    await run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

const run = promisify(execFile);
