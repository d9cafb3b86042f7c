import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Unavailable, unavailable } from './service.js';

/**
 * Installs Debian packages when this process is root and apt-get exists. Returns undefined when they are
 * installed, else the reason. Without a network it says so; it never asks a question.
 */
export async function installPackages(...names: string[]): Promise<Unavailable | undefined> {
  if (process.getuid?.() !== 0) return unavailable('packages are installed only by root');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update'], { env, timeout: 300_000 });
    await run('apt-get', ['install', '-y', '--no-install-recommends', ...names], { env, timeout: 600_000 });
    return undefined;
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    if (code === 'ENOENT') return unavailable('there is no apt-get');
    const lastLine = stderr?.trim().split('\n').at(-1) ?? String(error);
    return unavailable(`apt-get could not install ${names.join(' ')}: ${lastLine}`);
  }
}

const run = promisify(execFile);
