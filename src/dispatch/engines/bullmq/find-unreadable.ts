import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/** What of a job keeps BullMQ from reading it or from counting its attempts; null where nothing does. */
export async function findUnreadable(
  client: Redis,
  queue: Queue,
  id: string,
): Promise<{ field: string; reason: string } | null> {
  try {
    await queue.getJob(id);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      return { field: 'data', reason: 'is no JSON' };
    throw error;
  }
  const counts = await client.hmget(queue.toKey(id), ...COUNTS);
  const odd = COUNTS.find((_name, at) => counts[at] != null && !/^-?\d{1,15}$/.test(counts[at]!));
  return odd === undefined ? null : { field: odd, reason: 'is no count' };
}

/** Of attempts started and made, as BullMQ keeps them. */
const COUNTS = ['ats', 'atm'];
