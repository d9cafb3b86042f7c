import { expect, test } from 'vitest';
import { createWebhooks } from './create-webhooks.js';

const asked = new Error('the store was asked');
const { replay } = createWebhooks({
  database: () => Promise.reject(asked),
  defaultTenant: 'default',
  allowPrivate: false,
  secrets: {} as never,
  complete: (payload) => payload,
});
const id = '01a1def1-9ed6-7000-8fe3-719f10b82e28';

test.each([
  // Read without an offset, they are other times in another place.
  [{ since: '2026-01-31T09:00:00' }, 'since'],
  [{ since: '1' }, 'since'],
  [{ since: '2026-02-30' }, 'since'],
  [{ since: '2026-01-31', until: 'tomorrow' }, 'until'],
  [{}, 'since'],
])('a replay of %j → refused, naming %s', async (range, field) => {
  await expect(replay(id, range)).rejects.toMatchObject({ field });
});

test.each([
  { since: '2026-01-31', until: '2026-01-31' },
  { since: new Date(0), until: '2026-01-31T09:00+02:00', status: 'all' as const },
  { deliveryId: id },
])('a replay of %j → looked for', async (range) => {
  await expect(replay(id, range)).rejects.toBe(asked);
});
