import { expect, test } from 'vitest';
import { ManualClock, silentLogger } from '../../kernel/index.js';
import { bodyLimitOf } from './body-limits.js';
import { createHttpApp } from './create-http-app.js';
import type { HttpRooms } from './http-rooms.js';

test.each([
  ['POST /v1/email/send', 16_000_000, 16_000_000],
  ['POST /v1/suppressions', 16_000_000, 8 * 1024 ** 2],
  ['POST /v1/suppressions', 1000, 1000],
  ['POST /auth/sign-in', 16_000_000, 16 * 1024],
  ['POST /admin/erasures', 16_000_000, 256 * 1024],
  [null, 16_000_000, 256 * 1024],
])('%s, where the setting says %i → %i', (route, setting, limit) => {
  expect(bodyLimitOf(route, setting)).toBe(limit);
});

test('a body larger than its route reads → refused with that limit, whatever the setting says', async () => {
  const app = createHttpApp({
    ...{ rooms: {} as HttpRooms, logger: silentLogger, clock: new ManualClock(), apiKey: 'key' },
    bodyLimitBytes: 64 * 1024 ** 2,
  });
  const body = JSON.stringify({ scheduledAt: 'x'.repeat(300_000) });
  const answer = await app.request('/v1/emails/01a1f501-3aa1-7000-b8e2-b5e907183e03', {
    ...{
      method: 'PATCH',
      body,
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer key' },
    },
  });
  expect([answer.status, await answer.json()]).toMatchObject([
    413,
    { code: 'PAYLOAD_TOO_LARGE', detail: 'The body is larger than 262144 bytes.' },
  ]);
});

test('markup for a frame without end → given up at the limit, whether its length is said or not', async () => {
  const app = createHttpApp({
    ...{ rooms: {} as HttpRooms, logger: silentLogger, clock: new ManualClock(), apiKey: 'key' },
    bodyLimitBytes: 64 * 1024 ** 2,
  });
  const piece = new Uint8Array(64 * 1024).fill(0x78);
  let pieces = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pieces += 1;
      // Ends at last, so that a reader that goes on fails here and not by running out of memory.
      if (pieces > 1000) controller.close();
      else controller.enqueue(piece);
    },
  });
  const headers = {
    Authorization: 'Bearer key',
    'Sec-Fetch-Site': 'same-origin',
    'Content-Type': 'multipart/form-data; boundary=b',
  };
  const post = (init: object) => app.request('/dashboard/frame', { method: 'POST', ...init } as RequestInit);
  expect((await post({ body: endless, duplex: 'half', headers })).status).toBe(413);
  expect(pieces).toBeLessThan(100);
  const said = { ...headers, 'Content-Length': '9000000' };
  expect((await post({ body: 'short', headers: said })).status).toBe(413);
});
