import { readdirSync, readFileSync } from 'node:fs';
import { checkConfig } from '../../src/config.js';
import { startPrivateRabbit } from '../../test/services/private-rabbit.js';
import { Skipped } from '../bench.js';
import { processCpuSeconds } from './process-usage.js';
import { startRedis } from './redis-server.js';

/** An engine with the broker it needs: what workers are started with, and what the broker has used. */
export interface EngineGround {
  name: EngineName;
  /** Settings of every process of this run. */
  env: Record<string, string>;
  /** CPU seconds of the broker; null where there is none. */
  brokerCpuSeconds(): number | null;
  stop(): Promise<void>;
}

export const ENGINES = ['postgres', 'rabbitmq', 'bullmq'] as const;
export type EngineName = (typeof ENGINES)[number];

/** Skips by name what this code or this machine does not have. */
export async function startEngine(name: EngineName): Promise<EngineGround> {
  const env = { POSTRIDER_ENGINE: name };
  switch (name) {
    case 'postgres':
      return { name, env, brokerCpuSeconds: () => null, stop: async () => {} };
    case 'rabbitmq': {
      refuseUnknown(name, { RABBITMQ_URL: 'amqp://127.0.0.1' });
      const server = await startPrivateRabbit().catch((error: Error) => {
        throw new Skipped(error.message);
      });
      await server.start();
      return {
        name,
        env: { ...env, RABBITMQ_URL: server.url },
        brokerCpuSeconds: () => cpuOfProcessesWith(`RABBITMQ_NODENAME=${server.node}`),
        stop: () => server.remove(),
      };
    }
    case 'bullmq': {
      refuseUnknown(name, { REDIS_URL: 'redis://127.0.0.1' });
      const server = await startRedis();
      return {
        name,
        env: { ...env, REDIS_URL: `redis://127.0.0.1:${server.port}` },
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
