import { readdirSync, readFileSync } from 'node:fs';
import { checkConfig } from '../../src/config.js';
import { addVhost } from '../../test/services/add-vhost.js';
import { startPrivateRabbit } from '../../test/services/private-rabbit.js';
import { type BenchContext, type Figure, Skipped } from '../bench.js';
import { processCpuSeconds } from './process-usage.js';
import { startRedis } from './redis-server.js';

/** An engine with the broker it needs: what workers are started with, and what the broker has used. */
export interface EngineGround {
  name: EngineName;
  /** For every process on one database: two of them in one place of a broker are refused. */
  settingsForDatabase(): Promise<Record<string, string>>;
  /** CPU seconds of the broker; null where there is none. */
  brokerCpuSeconds(): number | null;
  stop(): Promise<void>;
}

const ENGINES = ['postgres', 'rabbitmq', 'bullmq'] as const;
type EngineName = (typeof ENGINES)[number];

/** Each engine in turn; what this machine does not have is skipped by name, and is no reason to leave out the others. */
export async function withEachEngine(
  { progress }: Pick<BenchContext, 'progress'>,
  measure: (engine: EngineGround) => Promise<Figure[]>,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const name of ENGINES) {
    const engine = await startEngine(name).catch((error: unknown) => {
      if (!(error instanceof Skipped)) throw error;
      progress(`${name} skipped: ${error.message}`);
      return null;
    });
    if (!engine) continue;
    try {
      figures.push(...(await measure(engine)));
    } finally {
      await engine.stop();
    }
  }
  return figures;
}

async function startEngine(name: EngineName): Promise<EngineGround> {
  const env = { POSTRIDER_ENGINE: name };
  switch (name) {
    case 'postgres':
      return {
        name,
        settingsForDatabase: async () => env,
        brokerCpuSeconds: () => null,
        stop: async () => {},
      };
    case 'rabbitmq': {
      refuseUnknown(name, { RABBITMQ_URL: 'amqp://127.0.0.1' });
      const server = await startPrivateRabbit().catch((error: Error) => {
        throw new Skipped(error.message);
      });
      await server.start();
      return {
        name,
        settingsForDatabase: async () => ({ ...env, RABBITMQ_URL: (await addVhost(server)).url }),
        brokerCpuSeconds: () => cpuOfProcessesWith(`RABBITMQ_NODENAME=${server.node}`),
        stop: () => server.remove(),
      };
    }
    case 'bullmq': {
      refuseUnknown(name, { REDIS_URL: 'redis://127.0.0.1' });
      const server = await startRedis();
      let databases = 0;
      return {
        name,
        settingsForDatabase: async () => ({
          ...env,
          REDIS_URL: `redis://127.0.0.1:${server.port}`,
          POSTRIDER_REDIS_PREFIX: `bench-${++databases}`,
        }),
        brokerCpuSeconds: () => processCpuSeconds(server.pid),
        stop: () => server.stop(),
      };
    }
  }
}

function refuseUnknown(name: EngineName, env: Record<string, string>): void {
  const { ok } = checkConfig({ env: { POSTRIDER_ENGINE: name, ...env }, file: null });
  if (!ok) throw new Skipped(`there is no engine ${name} here`);
}

/** Of every process whose environment holds this text. */
function cpuOfProcessesWith(text: string): number | null {
  let sum: number | null = null;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry) || !environmentOf(entry).includes(text)) continue;
    sum = (sum ?? 0) + (processCpuSeconds(Number(entry)) ?? 0);
  }
  return sum;
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // gone meanwhile
  }
}
