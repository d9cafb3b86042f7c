import { describe, expect, test } from 'vitest';
import { type Logger, ManualClock, newId, silentLogger } from '../../kernel/index.js';
import { createHttpApp, type HttpAppOptions } from './create-http-app.js';
import type { AcceptOptions, HttpRooms } from './http-rooms.js';

const ID = newId();
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('sending', () => {
  test('a JSON body → 202 with the answer of the room and the same request id in the header', async () => {
    const { app, accepted } = door();
    const answer = await send(
      app,
      { to: 'a@example.com' },
      { 'X-Request-Id': 'order-7', 'Idempotency-Key': 'k 1' },
    );
    expect(answer.status).toBe(202);
    expect(await answer.json()).toEqual({
      queued: true,
      emailId: ID,
      requestId: 'order-7',
      status: 'pending',
    });
    expect(answer.headers.get('x-request-id')).toBe('order-7');
    expect(accepted).toEqual([
      { input: { to: 'a@example.com' }, options: { requestId: 'order-7', idempotencyKey: 'k 1' } },
    ]);
  });

  test('no X-Request-Id → a new UUIDv7 goes to the room and back', async () => {
    const { app, accepted } = door();
    const answer = await send(app, {});
    const requestId = answer.headers.get('x-request-id');
    expect(requestId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(accepted[0]?.options).toEqual({ requestId });
  });

  test.each([
    ['X-Request-Id', 'two words'],
    ['X-Request-Id', 'x'.repeat(129)],
    ['Idempotency-Key', 'k'.repeat(256)],
    ['Idempotency-Key', 'schl\u00fcssel'],
  ])('%s of %j → 400 naming it, nothing accepted', async (name, value) => {
    const { app, accepted } = door();
    const answer = await send(app, {}, { [name]: value });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'INVALID_HEADER', field: name });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(accepted).toEqual([]);
  });

  test('own __proto__ keys → reach the room as they were sent, nothing polluted', async () => {
    const { app, accepted } = door();
    await raw(app, '{"__proto__":{"polluted":1}}');
    expect(Object.getOwnPropertyNames(accepted[0]?.input)).toEqual(['__proto__']);
    expect('polluted' in {}).toBe(false);
  });
});

test('a body over the limit → 413 and nothing accepted', async () => {
  const { app, accepted } = door();
  expect(await statusAndCode(await send(app, { html: 'x'.repeat(2_000_000) }))).toEqual([
    413,
    'PAYLOAD_TOO_LARGE',
  ]);
  expect(accepted).toEqual([]);
});

describe('errors', () => {
  test.each([
    ['an Error', new Error('relation "secret_table" does not exist')],
    ['a string', 'secret_table'],
  ])('%s nobody foresaw → 500 without its text, logged with the request id', async (_case, thrown) => {
    const { logger, lines } = recorder();
    const { app } = door(
      {
        get: async () => {
          throw thrown;
        },
      },
      { logger },
    );
    const answer = await ask(app, `/v1/emails/${ID}`, { headers: { 'X-Request-Id': 'r9' } });
    expect(answer.status).toBe(500);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const body = await answer.text();
    expect(JSON.parse(body).code).toBe('INTERNAL');
    expect(body).not.toContain('secret_table');
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', requestId: 'r9', code: 'INTERNAL' }),
    );
    expect(JSON.stringify(lines)).toContain('secret_table');
  });

  test('an unknown path → 404, a known one with another method → 405 with Allow', async () => {
    const { app } = door();
    const missing = await ask(app, '/v2/nothing');
    expect(await statusAndCode(missing)).toEqual([404, 'NOT_FOUND']);
    const wrong = await ask(app, `/v1/emails/${ID}`, { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, PATCH']);
    expect((await ask(app, '/v1/email/send')).headers.get('allow')).toBe('POST');
    expect(await statusAndCode(wrong)).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });
});

describe('reading', () => {
  test('log, events and cancel → what the rooms said', async () => {
    const { app } = door();
    expect(await (await ask(app, `/v1/emails/${ID}`)).json()).toEqual({ id: ID, status: 'sent' });
    expect(await (await ask(app, `/v1/emails/${ID.toUpperCase()}/events`)).json()).toEqual([
      { type: 'ENQUEUED' },
    ]);
    const cancelled = await ask(app, `/v1/emails/${ID}/cancel`, { method: 'POST' });
    expect([cancelled.status, await cancelled.json()]).toEqual([200, { id: ID, status: 'cancelled' }]);
  });

  test.each([['not-a-uuid'], [newId()], ['%ff%00'], ['..%2f..%2fetc']])(
    'id %s → 404 EMAIL_NOT_FOUND',
    async (id) => {
      for (const path of [`/v1/emails/${id}`, `/v1/emails/${id}/events`]) {
        const answer = await ask(door().app, path);
        expect(await statusAndCode(answer)).toEqual([404, 'EMAIL_NOT_FOUND']);
      }
    },
  );

  test('metrics → the text and type of the room', async () => {
    const answer = await ask(door().app, '/metrics');
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
      'text/plain; version=0.0.4',
      'm 1\n',
    ]);
  });

  test('ready, not ready, unable to say → 200, 503, 503', async () => {
    expect((await ask(door().app, '/health/ready')).status).toBe(200);
    const down = door({
      ready: async () => ({ ok: false, checks: { store: { ok: false, message: 'away' } } }),
    });
    const answer = await ask(down.app, '/health/ready');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ checks: { store: { message: 'away' } } });
    const broken = door({
      ready: async () => {
        throw new Error('boom');
      },
    });
    expect((await ask(broken.app, '/health/ready')).status).toBe(503);
  });
});

describe('who may speak', () => {
  const withKey = () => door({}, { apiKey: 'the-right-key' }).app;

  test.each([
    ['no key', undefined],
    ['a wrong key', 'Bearer wrong'],
    ['the key with another scheme', 'Basic the-right-key'],
    ['a prefix of the key', 'Bearer the-right'],
  ])('%s → 401 with WWW-Authenticate', async (_case, authorization) => {
    const headers: Record<string, string> =
      authorization === undefined ? {} : { Authorization: authorization };
    for (const path of [`/v1/emails/${ID}`, '/metrics', '/nothing']) {
      const answer = await ask(withKey(), path, { headers });
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer realm="postrider"',
      ]);
    }
  });

  test('the right key → answered, whatever the Host', async () => {
    const headers = { Authorization: 'Bearer the-right-key', Host: 'mail.example.com' };
    expect((await ask(withKey(), `/v1/emails/${ID}`, { headers })).status).toBe(200);
  });

  test('health with a key set → open, but messages only for those who have it', async () => {
    const ready = async () => ({ ok: false, checks: { store: { ok: false, message: 'db.internal away' } } });
    const { app } = door({ ready }, { apiKey: 'the-right-key' });
    expect((await ask(app, '/health/live')).status).toBe(200);
    expect(await (await ask(app, '/health/ready')).text()).not.toContain('db.internal');
    const known = await ask(app, '/health/ready', { headers: { Authorization: 'Bearer the-right-key' } });
    expect(await known.text()).toContain('db.internal');
  });

  test('an empty key → refused at start instead of an open door', () => {
    expect(() => door({}, { apiKey: ' ' })).toThrow(/empty/);
  });

  test('no key set and a page of another site → 403, nothing accepted', async () => {
    const { app, accepted } = door();
    const answer = await send(app, {}, { Origin: 'https://evil.example' });
    expect(await statusAndCode(answer)).toEqual([403, 'FORBIDDEN']);
    expect(accepted).toEqual([]);
  });
});

test('every answer → nosniff, no-store and a policy that allows nothing', async () => {
  for (const path of ['/health/live', `/v1/emails/${ID}`, '/nothing', '/v1/email/send']) {
    const { headers } = await ask(door().app, path);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  }
});

test('one request → one log line with the pattern of the route, not its values', async () => {
  const { logger, lines } = recorder();
  const { app } = door({}, { logger });
  await ask(app, `/v1/emails/${ID}/events`, { headers: { 'X-Request-Id': 'r2' } });
  await ask(app, '/who/knows?token=secret');
  expect(lines).toEqual([
    {
      level: 'info',
      method: 'GET',
      route: '/v1/emails/:id/events',
      status: 200,
      durationMs: 0,
      requestId: 'r2',
    },
    expect.objectContaining({ level: 'info', route: '(none)', status: 404 }),
  ]);
});

async function statusAndCode(answer: Response): Promise<[number, string]> {
  const { code } = (await answer.json()) as { code: string };
  return [answer.status, code];
}

type App = ReturnType<typeof createHttpApp>;

function ask(app: App, path: string, init: RequestInit = {}): Response | Promise<Response> {
  return app.request(path, init, { remoteAddress: '127.0.0.1' });
}

function send(app: App, body: unknown, headers: Record<string, string> = {}) {
  return raw(app, JSON.stringify(body), headers);
}

function raw(app: App, body: string | Uint8Array | ReadableStream, headers: Record<string, string> = {}) {
  const init = { method: 'POST', body, headers: { ...JSON_TYPE, ...headers }, duplex: 'half' };
  return ask(app, '/v1/email/send', init as RequestInit);
}

function door(rooms: Partial<HttpRooms> = {}, options: Partial<HttpAppOptions> = {}) {
  const accepted: { input: unknown; options: AcceptOptions }[] = [];
  const all: HttpRooms = {
    accept: async (input, given) => {
      accepted.push({ input, options: given });
      return { queued: true, emailId: ID, requestId: given.requestId, status: 'pending' };
    },
    acceptBatch: (inputs, given) => Promise.all(inputs.map((input) => all.accept(input, given))),
    reschedule: async (id, scheduledAt) => ({ id, scheduledAt, status: 'scheduled' }),
    get: async (id) => (id === ID ? { id, status: 'sent' } : null),
    timeline: async (id) => (id === ID ? [{ type: 'ENQUEUED' }] : null),
    cancel: async (id) => ({ id, status: 'cancelled' }),
    ready: async () => ({ ok: true, checks: { store: { ok: true } } }),
    metrics: async () => ({ contentType: 'text/plain; version=0.0.4', body: 'm 1\n' }),
    ...rooms,
  };
  const clock = new ManualClock();
  const app = createHttpApp({
    rooms: all,
    logger: silentLogger,
    clock,
    bodyLimitBytes: 2_000_000,
    ...options,
  });
  return { app, accepted };
}

function recorder() {
  const lines: object[] = [];
  const at = (level: string) => (fields: object) => void lines.push({ level, ...fields });
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return { logger, lines };
}
