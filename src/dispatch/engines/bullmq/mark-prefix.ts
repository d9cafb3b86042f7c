import type { Redis } from 'ioredis';
import { PostriderError } from '../../../kernel/index.js';
import { STORE_KEY } from './clear-misplaced-jobs.js';
import { QUEUE_NAME } from './email-job.js';

/**
 * Marks the keys of the queue as those of one store, for as long as a worker of it renews the mark. A mark that is
 * gone tells that Redis was emptied. Refuses a queue that workers of another store use: each would drop the jobs of
 * the other as none of its own.
 */
export interface PrefixMark {
  /** `new`: there was none. Throws BROKER_UNSUITABLE where it is another's. */
  renew(client: Redis): Promise<'new' | 'kept'>;
}

export const RENEW_MS = 2000;
const GOES_AFTER_MS = 10_000;

export function markPrefix({ prefix, store }: { prefix: string; store: string }): PrefixMark {
  // A job may be called so: see clear-misplaced-jobs.ts.
  const key = `${prefix}:${QUEUE_NAME}:${STORE_KEY}`;
  return {
    async renew(client) {
      if ((await client.set(key, store, 'PX', GOES_AFTER_MS, 'NX')) === 'OK') return 'new';
      const found = await client.get(key);
      if (found !== null && found !== store)
        throw new PostriderError(
          'BROKER_UNSUITABLE',
          `Workers of another store use the queue under ${prefix} in this Redis: give every database a POSTRIDER_REDIS_PREFIX of its own. Where they were stopped just now, it is free in ten seconds.`,
        );
      // One that went in this moment is made at the next renewal.
      await client.pexpire(key, GOES_AFTER_MS);
      return 'kept';
    },
  };
}
