import type { Config } from './config.js';

/**
 * The settings of one region of several: a broker whose URL says `{region}` is that of the region. Bells of one store
 * must not reach workers of another, and jobs and events name people, so regions share no broker.
 */
export function inRegion(config: Config, region: string): Config {
  const { rabbitmq, redis, bus } = config;
  const fill = (url: string | null) => url?.replaceAll(PLACE, region) ?? null;
  return {
    ...config,
    rabbitmq: { ...rabbitmq, url: fill(rabbitmq.url) },
    redis: { ...redis, url: fill(redis.url)! },
    bus: { ...bus, url: fill(bus.url) },
  };
}

/** The setting by which several regions would share a broker, and what to do about it; null where none would. */
export function sharedBroker({
  engine,
  rabbitmq,
  redis,
  bus,
}: Pick<Config, 'engine' | 'rabbitmq' | 'redis' | 'bus'>): { key: string; message: string } | null {
  const shares = (url: string | null) => url !== null && !url.includes(PLACE);
  const message = 'must say {region} where several are served: each needs a broker of its own';
  if (engine.name === 'rabbitmq' && shares(rabbitmq.url)) return { key: 'rabbitmq.url', message };
  if (engine.name === 'rabbitmq' && rabbitmq.hosts !== null)
    return { key: 'rabbitmq.hosts', message: 'cannot be given where several regions are served' };
  if (engine.name === 'bullmq' && shares(redis.url)) return { key: 'redis.url', message };
  return shares(bus.url) ? { key: 'bus.url', message } : null;
}

const PLACE = '{region}';
