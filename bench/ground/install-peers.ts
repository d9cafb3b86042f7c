import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Skipped } from '../bench.js';

/** Where the peers live, with a lockfile of their own: none of them is a dependency of Postrider. */
export const PEERS_FOLDER = join(findRoot(dirname(fileURLToPath(import.meta.url))), 'bench', 'peers');

/** The Node some of them need, on which everyone runs beside them. */
export const PEERS_NODE = join(PEERS_FOLDER, 'node_modules', 'node', 'bin', 'node');

/** `npm ci` in that folder, unless what is installed is what the lockfile says. */
export async function installPeers(say: (text: string) => void): Promise<void> {
  const stamp = join(PEERS_FOLDER, 'node_modules', '.installed-lock.json');
  const lock = readFileSync(join(PEERS_FOLDER, 'package-lock.json'), 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  say('installing the peers and the Node they need into bench/peers (npm ci, about 150 MB)');
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: PEERS_FOLDER,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(npm, 'exit');
  if (code !== 0) throw new Skipped('npm ci in bench/peers failed');
  writeFileSync(stamp, lock);
}

/** The sources run from .build, the peers stay where they are. */
function findRoot(from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'bench', 'peers', 'package.json'))) return folder;
  }
  throw new Error('bench/peers is not here');
}
