import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { answers, type ErlangNames, startErlangNames } from './erlang-names.js';
import { freePort } from './free-port.js';
import { RABBIT_LOGIN, type RabbitControl, type RabbitServer } from './rabbitmq-server.js';
import { type Unavailable, unavailable } from './service.js';
import { waitFor } from './wait-for.js';
import { openWorkspace } from './workspace.js';

/**
 * A broker from this machine's own programs: own node name, cookie, ports and folders, on loopback, without
 * plugins. Debian's wrapper in /usr/sbin changes user and folder, so the programs behind it are taken.
 * Nodes of one cluster share the name server and the cookie. TEST_RABBITMQ_BIN names the folder of another
 * version's programs.
 */
export async function rabbitFromBinaries(shared?: RabbitKin): Promise<RabbitServer | Unavailable> {
  const programs = findPrograms();
  if (!programs)
    return unavailable('no rabbitmq-server in TEST_RABBITMQ_BIN, /usr/lib/rabbitmq/bin or on PATH');
  const kin = shared ?? (await createRabbitKin());
  const workspace = openWorkspace('rabbitmq');
  const port = await freePort();
  const node = `postrider-${port}@localhost`;
  const erlCall = findOnPath('erl_call');
  const control: RabbitControl = {
    command: [join(programs, 'rabbitmqctl')],
    env: environmentOf({ folder: workspace.directory, node, kin }),
    ...(erlCall && {
      erlCall: {
        command: [erlCall, '-sname', node, '-c', kin.cookie],
        env: { ERL_EPMD_PORT: String(kin.names.port) },
      },
    }),
  };
  writeFileSync(join(workspace.directory, '.erlang.cookie'), kin.cookie, { mode: 0o400 });
  writeFileSync(join(workspace.directory, 'plugins'), '[].\n');
  writeFileSync(join(workspace.directory, 'rabbitmq.conf'), settings(port));
  for (const folder of ['mnesia', 'log']) mkdirSync(join(workspace.directory, folder));
  const distributionPort = String(await freePort());

  const logFile = join(workspace.directory, 'server.log');
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    if (!child || hasEnded(child)) return;
    const ending = child;
    ending.kill(signal);
    await waitFor(() => hasEnded(ending), { timeoutMs: 30_000, what: `RabbitMQ to end after ${signal}` });
  };
  const server: RabbitServer = {
    url: `amqp://${RABBIT_LOGIN}:${RABBIT_LOGIN}@127.0.0.1:${port}`,
    node,
    origin: `local binaries in ${programs}, port ${port}`,
    control,
    async start() {
      if (child && !hasEnded(child)) return;
      const log = openSync(logFile, 'a');
      child = spawn(join(programs, 'rabbitmq-server'), [], {
        env: { ...process.env, ...control.env, RABBITMQ_DIST_PORT: distributionPort },
        cwd: workspace.directory,
        stdio: ['ignore', log, log],
        detached: true,
      });
      closeSync(log);
      await once(child, 'spawn');
      workspace.record({ pid: child.pid! });
      child.unref();
      const started = child;
      await waitFor(async () => hasEnded(started) || (await answers(port)), {
        timeoutMs: 240_000,
        what: 'RabbitMQ to listen',
        everyMs: 50,
      });
      if (!hasEnded(started)) return;
      throw new Error(`RabbitMQ did not start:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async remove() {
      await end('SIGKILL');
      workspace.remove();
      if (!shared) kin.names.remove();
    },
  };
  await server.start();
  return server;
}

/** What nodes that may talk to each other have in common. */
export interface RabbitKin {
  names: ErlangNames;
  cookie: string;
}

export async function createRabbitKin(): Promise<RabbitKin> {
  return { names: await startErlangNames(), cookie: randomBytes(16).toString('hex').toUpperCase() };
}

function environmentOf({ folder, node, kin }: { folder: string; node: string; kin: RabbitKin }) {
  return {
    HOME: folder,
    RABBITMQ_NODENAME: node,
    RABBITMQ_MNESIA_BASE: join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: join(folder, 'log'),
    RABBITMQ_PID_FILE: join(folder, 'pid'),
    RABBITMQ_FEATURE_FLAGS_FILE: join(folder, 'feature-flags'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'plugins'),
    RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq.conf'),
    RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'advanced.config'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'rabbitmq-env.conf'),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_MAX_NUMBER_OF_PROCESSES: '65536',
    ERL_EPMD_PORT: String(kin.names.port),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_CRASH_DUMP_BYTES: '0',
    // Makes the script become the broker instead of watching over it, so that its process id is the broker's.
    RUNNING_UNDER_SYSTEMD: 'true',
  };
}

function settings(port: number): string {
  return [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    'disk_free_limit.absolute = 1MB',
    'log.file.level = warning',
    // A cluster of three on one machine must not each plan with all of its memory.
    'vm_memory_high_watermark.relative = 0.2',
    'cluster_partition_handling = pause_minority',
    '',
  ].join('\n');
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function findOnPath(program: string): string | undefined {
  return pathFolders()
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path));
}

function findPrograms(): string | undefined {
  const { TEST_RABBITMQ_BIN: named } = process.env;
  const usual = ['/usr/lib/rabbitmq/bin', ...pathFolders()];
  return (named ? [named] : usual).find((folder) =>
    ['rabbitmq-server', 'rabbitmqctl', 'rabbitmq-env'].every((name) => existsSync(join(folder, name))),
  );
}

function pathFolders(): string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
}
