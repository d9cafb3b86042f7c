import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackages } from './debian-packages.js';
import { type Attempt, type Service, unavailable } from './service.js';
import { openWorkspace } from './workspace.js';

/**
 * Debian's OpenSMTPD for the tests of the SMTP client. Its package conflicts with Postfix's, so it is not
 * installed but unpacked; what is handed to the tests is that folder, and they start it closed in.
 */
export const opensmtpd: Service = {
  name: 'opensmtpd',
  ways: [
    fromEnvironment,
    async () => unavailable('an installed one is not taken: it serves the machine'),
    fromPackages,
  ],
};

async function fromEnvironment(): Promise<Attempt> {
  const folder = process.env.TEST_OPENSMTPD_DIR;
  if (!folder) return unavailable('TEST_OPENSMTPD_DIR is not set');
  if (!existsSync(join(folder, PROGRAM))) {
    throw new Error(`TEST_OPENSMTPD_DIR names ${folder}, which has no ${PROGRAM}`);
  }
  return { running: true, url: folder, origin: `TEST_OPENSMTPD_DIR, ${folder}` };
}

const PROGRAM = 'usr/sbin/smtpd';
const run = promisify(execFile);

async function fromPackages(): Promise<Attempt> {
  if (process.getuid?.() !== 0) return unavailable('OpenSMTPD is started only by root');
  const workspace = openWorkspace('opensmtpd-package');
  const unpacked = join(workspace.directory, 'unpacked');
  try {
    await download(workspace.directory);
    const archive = readdirSync(workspace.directory).find((name) => name.endsWith('.deb'));
    if (!archive) throw new Error('nothing was downloaded');
    const path = join(workspace.directory, archive);
    await run('dpkg-deb', ['-x', path, unpacked]);
    const missing = await missingLibraries(path);
    const refused = missing.length > 0 ? await installPackages(...missing) : undefined;
    if (refused) return refused;
  } catch (error) {
    workspace.remove();
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(error);
    return unavailable(`opensmtpd could not be unpacked: ${said}`);
  }
  return { running: true, url: unpacked, origin: 'Debian package, unpacked' };
}

/** The lists of packages may be there already; asking for them takes seconds. */
async function download(cwd: string): Promise<void> {
  const fetchIt = () => run('apt-get', ['download', '-q', 'opensmtpd'], { cwd, timeout: 300_000 });
  try {
    await fetchIt();
  } catch {
    await run('apt-get', ['update'], { timeout: 300_000 });
    await fetchIt();
  }
}

async function missingLibraries(archive: string): Promise<string[]> {
  const { stdout } = await run('dpkg-deb', ['-f', archive, 'Depends']);
  const names = stdout
    .split(',')
    .map((each) => each.trim().split(/[ (|]/)[0]!)
    .filter((name) => /^(?:lib|zlib)/.test(name));
  const missing: string[] = [];
  for (const name of names) await run('dpkg', ['-s', name]).catch(() => missing.push(name));
  return missing;
}
