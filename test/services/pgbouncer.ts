import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackages } from './debian-packages.js';
import { type Attempt, type Service, unavailable } from './service.js';

/**
 * PgBouncer for the tests of connection poolers. What is handed to the tests is the path of the program; each starts
 * one of its own in front of its database (start-pooler.ts).
 */
export const pgbouncer: Service = {
  name: 'pgbouncer',
  ways: [
    fromEnvironment,
    async () => findInstalled('local program'),
    async () => (await installPackages('pgbouncer')) ?? findInstalled('Debian package'),
  ],
};

async function fromEnvironment(): Promise<Attempt> {
  const program = process.env.TEST_PGBOUNCER;
  if (!program) return unavailable('TEST_PGBOUNCER is not set');
  const version = versionOf(program);
  if (version === undefined) throw new Error(`TEST_PGBOUNCER names ${program}, which is no PgBouncer`);
  return { running: true, url: program, origin: `TEST_PGBOUNCER, ${program}, ${version.join('.')}` };
}

/** Debian puts it where only root looks. */
const SYSTEM_FOLDER = '/usr/sbin';

function findInstalled(origin: string): Attempt {
  const folders = [...(process.env.PATH ?? '').split(delimiter), SYSTEM_FOLDER];
  const program = folders
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'pgbouncer'))
    .find((path) => existsSync(path));
  const version = program && versionOf(program);
  if (!program || !version) return unavailable('no pgbouncer on PATH or in /usr/sbin');
  return { running: true, url: program, origin: `${origin} ${program}, ${version.join('.')}` };
}

/** Such as [1, 25, 2]. */
export function versionOf(program: string): number[] | undefined {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return /PgBouncer (\d+(?:\.\d+)+)/
    .exec(stdout ?? '')?.[1]
    ?.split('.')
    .map(Number);
}
