import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';

/**
 * Removes the jobs there are under these ids: an earlier job of the same email, perhaps in the hands of a worker that is
 * dead, or one of another program. BullMQ adds no job under an id that is taken, and says nothing of it. Returns the ids
 * that are taken still. Where none is, and so nearly always, it costs one command.
 */
export async function forgetJobs({ client, queue }: JobStore, ids: readonly string[]): Promise<Set<string>> {
  const keys = ids.map((id) => queue.toKey(id));
  if (keys.length === 0 || (await client.exists(keys)) === 0) return new Set();
  const found = client.pipeline();
  for (const key of keys) found.exists(key);
  const answers = (await found.exec()) ?? [];
  const taken = ids.filter((_id, at) => answers[at]?.[1] === 1);
  // A lock belongs to whoever works on the job, and keeps it from being removed.
  await client.del(taken.map((id) => `${queue.toKey(id)}:lock`));
  // Whatever stands in its way, such as a child of it that somebody holds, is the matter of this one job.
  const removed = await Promise.allSettled(taken.map((id) => queue.remove(id, { removeChildren: false })));
  return new Set(taken.filter((_id, at) => !isRemoved(removed[at]!)));
}

export interface JobStore {
  client: Redis;
  queue: Queue;
}

function isRemoved(result: PromiseSettledResult<number>): boolean {
  return result.status === 'fulfilled' && result.value === 1;
}
