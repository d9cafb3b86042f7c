import type { Redis } from 'ioredis';

/**
 * Why BullMQ hands out no job of the queue though Redis answers: another program has paused it or set a limit that lets
 * nothing through. That is for a person to lift; it may be meant. Null where jobs are handed out.
 */
export async function findStandstill(client: Redis, metaKey: string): Promise<string | null> {
  const [paused, ...limits] = await client.hmget(metaKey, 'paused', 'concurrency', 'max', 'duration');
  if (paused !== null) return 'the queue is paused in BullMQ; Queue.resume() lifts it';
  const wrong = LIMITS.filter((_name, at) => limits[at] != null && !(Number(limits[at]) > 0));
  if (wrong.length === 0) return null;
  return `the queue's ${wrong.join(' and ')} in BullMQ lets no job through`;
}

const LIMITS = ['concurrency', 'max', 'duration'];
