import type { BroadcastRoom } from './doors/http/index.js';
import { readCursor, readLimit } from './email-logs.js';
import { isUuid, PostriderError, parseLine } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import { type BroadcastDetail, findBroadcast, listBroadcasts } from './views/index.js';

/** Broadcasts of every company as operators see them; taken back for the company they belong to, until they have begun. */
export function createBroadcastRoom(postrider: Pick<Postrider, 'ready' | 'resend'>): BroadcastRoom {
  const store = async () => (await postrider.ready()).prompt();

  async function found(id: string): Promise<BroadcastDetail> {
    const broadcast = isUuid(id) ? await findBroadcast(await store(), id) : null;
    if (broadcast) return broadcast;
    throw new PostriderError('NOT_FOUND', 'There is no such broadcast.', { field: 'broadcast' });
  }

  return {
    async list({ companyId, cursor, limit }) {
      const tenant = parseLine(companyId, 'companyId', 128);
      const size = readLimit(limit);
      return listBroadcasts(await store(), { tenant, cursor: readCursor(cursor), limit: size });
    },
    get: found,
    async cancel(id) {
      const { id: known, companyId } = await found(id);
      await postrider.resend.broadcasts.cancel(companyId, known);
      return found(known);
    },
  };
}
