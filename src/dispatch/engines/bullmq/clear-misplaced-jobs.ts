import type { Redis } from 'ioredis';

/**
 * Removes jobs that stand where the queue has its own keys. A job of the id `wait` is written to the key of the list of
 * waiting jobs, which BullMQ then can neither read nor write: nothing of the queue moves until the job is gone.
 * Returns the names of those it removed.
 */
export async function clearMisplacedJobs(client: Redis, keyOf: (name: string) => string): Promise<string[]> {
  const types = client.pipeline();
  for (const name of NOT_HASHES) types.type(keyOf(name));
  const answers = (await types.exec()) ?? [];
  const misplaced = NOT_HASHES.filter((_name, at) => answers[at]?.[1] === 'hash');
  if (misplaced.length > 0) await client.del(misplaced.map(keyOf));
  return misplaced;
}

/** The mark of the store is ours, the others are BullMQ's. */
export const STORE_KEY = 'store';

/** A job is a hash; these hold something else. `meta` is one itself, and a job there is processed as any other. */
const NOT_HASHES = [
  STORE_KEY,
  'active',
  'wait',
  'waiting-children',
  'paused',
  'id',
  'delayed',
  'prioritized',
  'stalled-check',
  'completed',
  'failed',
  'stalled',
  'repeat',
  'limiter',
  'events',
  'pc',
  'marker',
];
