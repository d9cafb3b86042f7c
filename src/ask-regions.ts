import { delay, isPostriderError, PostriderError } from './kernel/index.js';

/**
 * One question to several regions at once. A region whose store is away, or silent for five seconds, is an answer of
 * its own kind; what is wrong with the question itself is thrown as it is.
 */
export interface RegionReply<T> {
  region: string;
  reply: { ok: true; answer: T } | { ok: false; code: string };
}

export function askEach<T>(
  regions: readonly string[],
  question: (region: string) => Promise<T>,
): Array<Promise<RegionReply<T>>> {
  return regions.map(async (region) => {
    const over = new AbortController();
    try {
      const answer = await Promise.race([
        question(region),
        delay(PATIENCE_MS, over.signal).then(() => {
          throw away(`Region ${region} has not answered within ${PATIENCE_MS / 1000} s.`);
        }),
      ]);
      return { region, reply: { ok: true as const, answer } };
    } catch (error) {
      if (!isPostriderError(error) || error.status < 500) throw error;
      return { region, reply: { ok: false as const, code: error.code } };
    } finally {
      over.abort();
    }
  });
}

/**
 * The first region that has it, without waiting for the others; null when all say they have not. While one does not
 * answer nobody can say that it is nowhere: then it is STORE_UNAVAILABLE.
 */
export async function findInRegions<T>(
  regions: readonly string[],
  question: (region: string) => Promise<T | null>,
): Promise<{ region: string; answer: T } | null> {
  const asked = askEach(regions, question);
  const hits = asked.map(async (one) => {
    const { region, reply } = await one;
    if (!reply.ok || reply.answer === null) throw NOT_HERE;
    return { region, answer: reply.answer };
  });
  const hit = await Promise.any(hits).catch(() => null);
  if (hit) return hit;
  const silent = (await Promise.all(asked)).filter(({ reply }) => !reply.ok).map(({ region }) => region);
  if (silent.length === 0) return null;
  throw away(`Not in the regions that answer; ${silent.join(', ')} cannot be asked now.`);
}

export function away(message: string): PostriderError {
  return new PostriderError('STORE_UNAVAILABLE', message);
}

const PATIENCE_MS = 5000;
const NOT_HERE = new Error('not here');
