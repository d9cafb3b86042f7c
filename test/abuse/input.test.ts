import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpApp, type HttpServer, startHttpServer } from '../../src/doors/http/index.js';
import { createPostrider, type EmailInput, type Postrider } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { createConsoleProvider } from '../../src/providers/index.js';
import { createTestDatabase, describeWith, queryOnce, type TestDatabase } from '../services/index.js';

/**
 * Hostile input over a real socket into a real PostgreSQL: each request is answered with a 4xx that names the field,
 * leaves no row in any table, and the process goes on to accept an ordinary email.
 */
const good = {
  from: 'shop@example.com',
  to: 'ada@example.com',
  subject: 'Hello',
  html: '<p>Hi</p>',
  text: 'Hi',
};

const LINE_ATTACKS = {
  'CR LF': '\r\nBcc: eve@example.com',
  NUL: '\u0000',
  escape: '\u001b[2J',
  DEL: '\u007f',
  C1: '\u0085',
};
const TEXT_ATTACKS = {
  NUL: '\u0000',
  escape: '\u001b[2J',
  'lone surrogate': '\ud800',
  'lone low surrogate': 'a\udc00b',
};
const MARKS = { 'line separator': '\u2028', 'direction override': '\u202e', 'lone surrogate': '\ud800' };
const file = { filename: 'a.txt', content: 'QQ==', contentType: 'text/plain', contentId: 'a' };
const recipient = { externalId: '7', email: 'ada@example.com' };

/** Every place a string can stand: how to put one there, and the field the answer must name. */
const LINES: Record<string, (text: string) => object> = {
  to: (text) => ({ to: `ada@example.com${text}` }),
  'to[1]': (text) => ({ to: ['ada@example.com', `Ada ${text} <ada@example.com>`] }),
  'to.name': (text) => ({ to: { address: 'ada@example.com', name: `A${text}` } }),
  from: (text) => ({ from: `Shop${text} <shop@example.com>` }),
  replyTo: (text) => ({ replyTo: `${text}help@example.com` }),
  cc: (text) => ({ cc: `c@example${text}.com` }),
  'bcc[0]': (text) => ({ bcc: [`b@example.com${text}`] }),
  subject: (text) => ({ subject: `Hello${text}` }),
  'headers.X-A': (text) => ({ headers: { 'X-A': `a${text}` } }),
  headers: (text) => ({ headers: { [`X-A${text}`]: 'a' } }),
  'attachments[0].filename': (text) => ({ attachments: [{ ...file, filename: `a${text}.txt` }] }),
  'attachments[0].content': (text) => ({ attachments: [{ ...file, content: `QQ==${text}` }] }),
  'attachments[0].contentType': (text) => ({ attachments: [{ ...file, contentType: `text/plain${text}` }] }),
  'attachments[0].contentId': (text) => ({ attachments: [{ ...file, contentId: `a${text}` }] }),
  type: (text) => ({ type: `welcome${text}` }),
  lang: (text) => ({ lang: `en${text}` }),
  companyId: (text) => ({ companyId: `acme${text}` }),
  userId: (text) => ({ userId: `u${text}` }),
  'recipient.externalId': (text) => ({ recipient: { ...recipient, externalId: `7${text}` } }),
  'recipient.email': (text) => ({ recipient: { ...recipient, email: `ada@example.com${text}` } }),
  'recipient.recipientId': (text) => ({ recipient: { ...recipient, recipientId: `7${text}` } }),
  scheduledAt: (text) => ({ scheduledAt: `2030-01-01T00:00:00Z${text}` }),
  expiresAt: (text) => ({ expiresAt: `2030-01-01T00:00:00Z${text}` }),
  delivery: (text) => ({ delivery: `at-least-once${text}` }),
  retry: (text) => ({ retry: `gateway${text}` }),
};
const TEXTS: Record<string, (text: string) => object> = {
  html: (text) => ({ html: `<p>${text}</p>` }),
  text: (text) => ({ text: `Hi${text}` }),
};
const JSON_PLACES: Record<string, (text: string) => object> = {
  'metadata.a[0].b': (text) => ({ metadata: { a: [{ b: text }] } }),
  'data.a': (text) => ({ type: 'welcome', data: { a: text } }),
};

const attacks = (places: Record<string, (text: string) => object>, texts: Record<string, string>) =>
  Object.entries(places).flatMap(([field, put]) =>
    Object.entries(texts).map(([name, text]) => [name, field, { ...good, ...put(text) }] as const),
  );

describeWith('postgres')('hostile input over HTTP', () => {
  let database: TestDatabase;
  let postrider: Postrider;
  let server: HttpServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    postrider = createPostrider({
      database: database.url,
      logger: silentLogger,
      provider: createConsoleProvider({ logger: silentLogger }),
    });
    await postrider.ready();
    const app = createHttpApp({
      rooms: {
        accept: (input, options) => postrider.send(input as EmailInput, options),
        acceptBatch: (inputs, options) => postrider.sendBatch(inputs as EmailInput[], options),
        async reschedule(id, at) {
          await postrider.reschedule(id, at);
          return {};
        },
        get: (id) => postrider.get(id),
        timeline: (id) => postrider.timeline(id),
        cancel: (id) => postrider.cancel(id),
        ready: async () => ({ ok: true, checks: {} }),
        metrics: async () => ({ contentType: 'text/plain', body: '' }),
      },
      logger: silentLogger,
      clock: systemClock,
      apiKey: null,
      bodyLimitBytes: 16 * 1024 ** 2,
    });
    server = await startHttpServer({ app, host: '127.0.0.1', port: 0 });
  });

  afterAll(async () => {
    await server?.stop({ deadlineMs: 1000 });
    await postrider?.stop();
    await database?.drop();
  });

  const post = (body: string | Buffer) => postTo(server.port, body);

  async function rows(): Promise<string> {
    const tables = ['emails', 'email_bodies', 'email_queue', 'idempotency_keys'];
    const counts = tables.map((table) => `(select count(*) from postrider.${table}) as ${table}`);
    return JSON.stringify(await queryOnce(database.url, `select ${counts.join(', ')}`));
  }

  async function refuses(body: string | Buffer, expected: object): Promise<void> {
    const before = await rows();
    const answer = await post(body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).toMatchObject(expected);
    expect(answer.body.detail).toMatch(/^[^\p{Cc}]{5,}$/u);
    expect(await rows()).toBe(before);
  }

  test.each([
    ...attacks(LINES, { ...LINE_ATTACKS, ...MARKS }),
    ...attacks(TEXTS, TEXT_ATTACKS),
    ...attacks(JSON_PLACES, { NUL: '\u0000', 'lone surrogate': '\ud800' }),
  ])('%s in %s → 4xx naming it, nothing stored', async (_, field, input) => {
    await refuses(JSON.stringify(input), { field });
  });

  const goodAnd = (json: string) => `${JSON.stringify(good).slice(0, -1)},${json}}`;
  test.each([
    ['prototype key', goodAnd('"__proto__":{"bcc":"eve@example.com"}'), '__proto__'],
    ['constructor key', goodAnd('"constructor":{"prototype":{}}'), 'constructor'],
    ['prototype key in metadata', goodAnd('"metadata":{"a":{"__proto__":{"x":1}}}'), 'metadata.a.__proto__'],
    ['prototype key in headers', goodAnd('"headers":{"__proto__":"x"}'), 'headers.__proto__'],
    ['prototype key in an address', goodAnd('"cc":{"address":"a@example.com","__proto__":{}}'), 'cc'],
    ['prototype key in a file', goodAnd('"attachments":[{"__proto__":{}}]'), 'attachments[0].__proto__'],
    ['unknown key', goodAnd('"subjet":"x"'), 'subjet'],
    ['number too large', goodAnd('"metadata":{"n":1e999}'), 'metadata.n'],
    [
      'deep metadata',
      goodAnd(`"metadata":{"a":${'{"a":'.repeat(30)}1${'}'.repeat(31)}`),
      'metadata.a.a.a.a.a',
    ],
    ['wide metadata', goodAnd(`"metadata":{"a":[${'1,'.repeat(50_000)}1]}`), 'metadata'],
    ['10,000 recipients', JSON.stringify({ ...good, to: Array(10_000).fill('a@example.com') }), 'to'],
    ['address of a megabyte', JSON.stringify({ ...good, to: `${'a'.repeat(1_000_000)}@example.com` }), 'to'],
    ['html of a megabyte', JSON.stringify({ ...good, html: 'a'.repeat(1_000_000) }), 'html'],
    ['script', JSON.stringify({ ...good, html: '<svg/onload=alert(1)>' }), 'html'],
    ['50,000 open tags', JSON.stringify({ ...good, html: '<b onx=1>'.repeat(50_000) }), 'html'],
    ['strings where objects belong', JSON.stringify({ ...good, recipient: 'x' }), 'recipient'],
    ['objects where strings belong', JSON.stringify({ ...good, subject: { toString: 'x' } }), 'subject'],
  ])('%s → 4xx naming its field, nothing stored', async (_, body, field) => {
    await refuses(body, { field });
    expect(({} as Record<string, unknown>).bcc).toBeUndefined();
  });

  test.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['half an object', '{"to":'],
    ['a list', '[]'],
    ['a word', '"x"'],
    ['null', 'null'],
    ['brackets all the way', '['.repeat(1_000_000)],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"to":"'), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]),
    ],
    [
      'an overlong NUL',
      Buffer.concat([Buffer.from('{"to":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from(JSON.stringify(good), 'utf16le')],
    ['17 MB', Buffer.alloc(17 * 1024 ** 2, 'a')],
  ])('a body of %s → 4xx, nothing stored', async (_, body) => {
    await refuses(body, { code: expect.stringMatching(/^INVALID_(JSON|PAYLOAD)$|^PAYLOAD_TOO_LARGE$/) });
  });

  test('after all of it an ordinary email → accepted and stored as written', async () => {
    const answer = await post(JSON.stringify({ ...good, subject: 'Blåbær 🫐', metadata: { a: [1] } }));
    expect(answer).toMatchObject({ status: 202, body: { queued: true, status: 'pending' } });
    expect(await postrider.get(answer.body.emailId as string)).toMatchObject({ subject: 'Blåbær 🫐' });
  });
});

interface Answer {
  status: number;
  body: Record<string, unknown>;
}

/** By hand, because fetch would correct or refuse some of these bodies itself. */
function postTo(port: number, body: string | Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    const call = request(
      { host: '127.0.0.1', port, method: 'POST', path: '/v1/email/send', headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) }),
        );
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}
