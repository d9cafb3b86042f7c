import { loadPackages } from './load-packages.js';
import { createRedisLink } from './redis-link.js';

/** Whether a Redis can carry the queue: says so, or throws what is wrong. Leaves nothing behind in it. */
export async function examineRedis(url: string): Promise<string> {
  const { Redis } = await loadPackages();
  const link = createRedisLink(Redis, url);
  try {
    const trouble = await link.open();
    if (trouble?.kind === 'refused') throw trouble.error;
    if (trouble) throw new Error(`Redis does not answer: ${trouble.message}`);
    return 'Redis answers and evicts nothing';
  } finally {
    link.close();
  }
}
