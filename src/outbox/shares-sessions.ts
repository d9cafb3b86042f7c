import { delay } from '../kernel/index.js';
import type { Queryable, Session } from '../store/index.js';

/**
 * Tells whether a pooler between us and the server shares sessions: then a NOTIFY is not heard, session
 * locks mean nothing, and only the beat tells who is alive. It is sent by another connection, because a
 * pooler hands back what the same server connection answers in the same moment.
 */
const HEARD_WITHIN_MS = 1000;

export async function sharesSessions(session: Session, worker: number, others: Queryable): Promise<boolean> {
  const channel = `postrider_self_${worker}`;
  let hear: () => void = () => {};
  const heard = new Promise<boolean>((resolve) => {
    hear = () => resolve(true);
  });
  await session.listen(channel, () => hear());
  // A busy server may be late once; a pooler never delivers.
  for (let tries = 0; tries < 3; tries++) {
    await others.query('select pg_notify($1, $2)', [channel, '']);
    const over = new AbortController();
    const result = await Promise.race([heard, delay(HEARD_WITHIN_MS, over.signal).then(() => false)]);
    over.abort();
    if (result) return false;
  }
  return true;
}
