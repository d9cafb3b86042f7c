import type { Session } from '../store/index.js';

/**
 * Tells whether a pooler between us and the server shares sessions: then a NOTIFY to oneself is not
 * heard, session locks mean nothing, and only the beat tells who is alive.
 */
const HEARD_WITHIN_MS = 1000;

export async function sharesSessions(session: Session, worker: number): Promise<boolean> {
  const channel = `postrider_self_${worker}`;
  let hear: (heard: boolean) => void = () => {};
  const heard = new Promise<boolean>((resolve) => {
    hear = resolve;
  });
  await session.listen(channel, () => hear(true));
  await session.query('select pg_notify($1, $2)', [channel, '']);
  const timer = setTimeout(() => hear(false), HEARD_WITHIN_MS);
  const result = await heard;
  clearTimeout(timer);
  return !result;
}
