import { expect, test } from 'vitest';
import { ManualClock, silentLogger } from '../../kernel/index.js';
import { createHttpApp } from './create-http-app.js';
import type { HttpRooms } from './http-rooms.js';

const rooms = {
  ready: async () => ({ ok: true, checks: {} }),
  resend: { requestsPerSecond: 2, defaultCompany: 'default' },
} as unknown as HttpRooms;
const regions = {
  ...{ names: ['near', 'far'], home: 'near', regionOf: async () => null },
  ...{ only: () => rooms, from: () => rooms },
};
const app = createHttpApp({
  ...{
    rooms,
    regions,
    logger: silentLogger,
    clock: new ManualClock(10_000),
    apiKey: 'key',
    bodyLimitBytes: 1024,
  },
});
const ask = async (search: string) => {
  const { status, headers } = await app.request(`/resend/emails${search}`, {
    method: 'POST',
    body: '{',
    headers: { Authorization: 'Bearer key', 'Content-Type': 'application/json' },
  });
  return [status, headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')];
};

test('a refusal of another region → tells how many requests are left, as one at home does', async () => {
  expect(await ask('')).toEqual([400, '2', '1']);
  expect(await ask('?region=far')).toEqual([400, '2', '1']);
  expect(await ask('?region=far')).toEqual([400, '2', '0']);
  expect(await ask('?region=far')).toEqual([429, '2', '0']);
});
