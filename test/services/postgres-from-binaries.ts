import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.js';
import {
  type DataFolder,
  openBackend,
  type PostgresOptions,
  type PostgresServer,
  serverSettings,
} from './postgres-server.js';
import { type Unavailable, unavailable } from './service.js';
import { unprivilegedUser } from './unprivileged-user.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/** A server from this machine's own programs, unless TEST_POSTGRES_VERSION asks for a version from npm. */
export async function postgresFromBinaries(
  options: PostgresOptions = {},
): Promise<PostgresServer | Unavailable> {
  if (process.env.TEST_POSTGRES_VERSION) return unavailable('TEST_POSTGRES_VERSION asks for one from npm');
  const programs = findPrograms();
  if (!programs) return unavailable('no initdb and postgres on PATH or in /usr/lib/postgresql');
  return runPostgres({ programs, origin: `local binaries in ${programs}` }, options);
}

/**
 * Runs the programs of a folder in a temporary folder, on loopback and a free port. The server is the child of this
 * process but not of its terminal: an interrupt ends it through the workspace, not first.
 */
export async function runPostgres(
  { programs, origin }: { programs: string; origin: string },
  options: PostgresOptions,
): Promise<PostgresServer> {
  const user = unprivilegedUser();
  const workspace = openWorkspace('postgres');
  const dataDir = join(workspace.directory, 'data');
  const socketDir = join(workspace.directory, 'socket');
  for (const directory of [dataDir, socketDir]) {
    mkdirSync(directory, { mode: 0o700 });
    if (user) chownSync(directory, user.uid, user.gid);
  }
  const port = await freePort();
  const place = { cwd: dataDir, env: cleanEnvironment(), ...user };
  const made = options.makeData ?? initializeData;
  await made({ programs, dataDir, place });

  const logFile = join(workspace.directory, 'server.log');
  const args = ['-D', dataDir, '-p', String(port), '-k', socketDir, '-c', 'listen_addresses=127.0.0.1'];
  let child: ChildProcess | undefined;
  const launch = async () => {
    const log = openSync(logFile, 'a');
    const stdio = ['ignore', log, log] as const;
    child = spawn(join(programs, 'postgres'), [...args, ...serverSettings(options)], {
      ...place,
      stdio: [...stdio],
      detached: true,
    });
    closeSync(log);
    await once(child, 'spawn');
    workspace.record({ pid: child.pid! });
    child.unref();
    return child;
  };
  const end = async (signal: NodeJS.Signals) => {
    if (!child || hasEnded(child)) return;
    const ending = child;
    ending.kill(signal);
    await waitFor(() => hasEnded(ending), { timeoutMs: 30_000, what: `PostgreSQL to end after ${signal}` });
  };
  const server: PostgresServer = {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    dataDir,
    origin: `${origin}, port ${port}`,
    async start() {
      if (child && !hasEnded(child)) return;
      await startUntilReady(launch, dataDir, logFile);
    },
    stop: (mode) => end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    programs,
    kill: () => end('SIGKILL'),
    openBackend: () =>
      openBackend(server.url, (pid) => {
        process.kill(pid, 'SIGKILL');
      }),
    async remove() {
      await end('SIGQUIT');
      workspace.remove();
    },
  };
  await server.start();
  return server;
}

async function initializeData({ programs, dataDir, place }: DataFolder): Promise<void> {
  await promisify(execFile)(
    join(programs, 'initdb'),
    ['-D', dataDir, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    place,
  );
}

/**
 * After a SIGKILL of the first process its children take a moment to notice, and a new server refuses the
 * shared memory they hold; that passes, as does a port still held. Anything else is told with the log's end.
 */
async function startUntilReady(launch: () => Promise<ChildProcess>, dataDir: string, logFile: string) {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const before = existsSync(logFile) ? readFileSync(logFile, 'utf8').length : 0;
    const child = await launch();
    await waitFor(() => hasEnded(child) || isReady(dataDir, child.pid!), {
      timeoutMs: 60_000,
      what: 'PostgreSQL to start',
    });
    if (!hasEnded(child)) return;
    const log = readFileSync(logFile, 'utf8').slice(before);
    if (!PASSING.test(log) || performance.now() > deadline) {
      throw new Error(`PostgreSQL did not start:\n${log.slice(-2000)}`);
    }
    await pause(100);
  }
}

const PASSING = /shared memory block|could not bind|lock file .* already exists/;

/** The server writes its state as the eighth line of its pid file. */
function isReady(dataDir: string, pid: number): boolean {
  const file = join(dataDir, 'postmaster.pid');
  if (!existsSync(file)) return false;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines[0]?.trim() === String(pid) && lines[7]?.trim() === 'ready';
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** The folder with both programs; of Debian's versions side by side, the newest. */
function findPrograms(): string | undefined {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...onPath, ...versions.map((version) => join(debian, version, 'bin'))];
  const found = folders.find(
    (folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')),
  );
  return found && dirname(realpathSync(join(found, 'postgres')));
}

/** PGDATA, PGPORT and the like belong to the person at the keyboard, not to our server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(kept), LC_ALL: 'C' };
}
