import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signUserToken } from '../../src/index.js';
import { readJobData } from '../../src/outbox/read-job-data.js';
import { countOutstanding } from '../../src/outbox/ring-bells.js';
import { recognizeEpoch } from '../../src/outbox/server-epoch.js';
import { takeOverWorker } from '../../src/outbox/take-over.js';
import { tallyEnds } from '../../src/outbox/tally-ends.js';
import { waitFor } from '../services/index.js';
import { insert, insertOdd } from './ground/odd-rows.js';
import { type Door, openDoor } from './ground/open-door.js';

/** Rows as no way in writes them today. None of them keeps a page from being shown, or another email from being sent. */
const USER_KEY = 'k'.repeat(32);
const TIMES = [
  'infinity',
  '-infinity',
  '0044-03-15 00:00:00+00 BC',
  '200000-01-01 00:00:00+00',
  '290000-01-01 00:00:00+00',
  // A moment later is none.
  '294276-12-31 23:59:59.9+00',
];
/** Deeper than JavaScript can write, and than PostgreSQL looks through. */
const DEEP = `{"a":${'['.repeat(10_500)}1${']'.repeat(10_500)}}`;
/** 20 KB that are 130 MB as text. */
const LONG_NUMBERS = `[${Array(1000).fill('1e131071').join(',')}]`;
const JSON_KINDS = [
  '"s"',
  'null',
  '7',
  'true',
  '[]',
  '["a"]',
  '{"tags":"x","topicId":7}',
  '{"tags":[1,null]}',
  '{"a":1e400}',
  '{"a":1e-400}',
  DEEP,
  `{"tags":${DEEP}}`,
  `{"a":${LONG_NUMBERS}}`,
];
const LONG = 'x'.repeat(2 * 1024 * 1024);

describe('pages that hold odd rows', () => {
  let door: Door;
  let token: string;
  const ids: string[] = [];
  let plain: string;
  let ready: string;

  beforeAll(async () => {
    door = await openDoor({ config: { access: { userTokenKey: USER_KEY } } });
    const { pool, postrider } = door;
    await postrider.access.tenants.create({ companyId: 'acme' });
    token = (await postrider.access.keys.create({ companyId: 'acme', name: 'full' })).token;
    const waits = { ready: false, scheduled: true };
    // The oldest that is ready, at which the overview and the metrics look.
    ready = await insertOdd(pool, {
      email: { tenant: 'other', created_at: 'infinity', scheduled_at: 'infinity' },
      queue: { tenant: 'other' },
    });
    for (const at of TIMES) {
      ids.push(
        await insertOdd(pool, {
          email: { scheduled_at: at, expires_at: at },
          queue: { ...waits, due_at: at },
        }),
      );
      ids.push(
        await insertOdd(pool, { email: { created_at: at }, queue: { ...waits, due_at: '2900-01-01' } }),
      );
      ids.push(await ended(at));
    }
    for (const metadata of JSON_KINDS)
      ids.push(await insertOdd(pool, { email: { metadata }, queue: { ...waits, due_at: '2900-01-01' } }));
    for (const message of [
      ...JSON_KINDS,
      '{}',
      '{"to":"x"}',
      '{"to":[null,7,{"name":"A"}],"from":"x","headers":[1],"category":7}',
      `{"to":[${DEEP}],"from":${DEEP},"headers":{"X-A":${DEEP}}}`,
    ])
      ids.push(await insertOdd(pool, { email: { message }, queue: { ...waits, due_at: '2900-01-01' } }));
    for (const attachments of [
      '"s"',
      '{}',
      '[7,null,{"filename":7}]',
      '[{"filename":"a","content":7}]',
      `[${DEEP}]`,
      `[${LONG_NUMBERS}]`,
    ])
      ids.push(await insertOdd(pool, { body: { attachments }, queue: { ...waits, due_at: '2900-01-01' } }));
    for (const column of ['subject', 'request_id', 'retry', 'recipient_external_id', 'lang'])
      ids.push(
        await insertOdd(pool, { email: { [column]: LONG }, queue: { ...waits, due_at: '2900-01-01' } }),
      );
    ids.push(
      await insertOdd(pool, {
        email: { metadata: JSON.stringify({ a: LONG }) },
        queue: { ...waits, due_at: '2900-01-01' },
      }),
      await insertOdd(pool, {
        email: { message: JSON.stringify({ to: [{ address: LONG }] }) },
        queue: { ...waits, due_at: '2900-01-01' },
      }),
      await insertOdd(pool, { body: { html: LONG.repeat(3) }, queue: { ...waits, due_at: '2900-01-01' } }),
    );
    plain = (await postrider.send({ to: 'ann@example.net', subject: 'Plain', text: 'x', companyId: 'acme' }))
      .emailId;
  });
  afterAll(() => door.close());

  /** With an attempt and facts as odd as the email. */
  async function ended(at: string): Promise<string> {
    const { pool } = door;
    const id = await insertOdd(pool, { queue: null, email: { user_id: 'u-1' } });
    await insert(pool, 'email_attempts', {
      ...{
        email_id: id,
        attempt: -1,
        token: 2_147_483_647,
        status: 'retry',
        final: false,
        events: '{RECEIVED,RETRY_SCHEDULED}',
      },
      ...{
        offsets_ms: '{2147483647}',
        started_at: at,
        duration_ms: 1,
        route: 'default',
        worker: 1,
        next_attempt_at: at,
        settled_at: at,
      },
      detail: '{"possibleDuplicate":"perhaps"}',
    });
    await insert(pool, 'email_attempts', {
      ...{
        email_id: id,
        attempt: 2,
        token: 2,
        status: 'failed',
        final: true,
        events: '{RECEIVED,FAILED}',
        offsets_ms: '{0,1}',
      },
      ...{
        started_at: at,
        duration_ms: 1,
        route: 'default',
        worker: 1,
        settled_at: at,
        detail: '"s"',
        error_code: 'ODD',
      },
    });
    for (const type of ['RESCHEDULED', 'REQUEUED', 'DISCARDED'])
      await insert(pool, 'email_facts', {
        email_id: id,
        type,
        detail: '{"afterAttempt":"last","scheduledAt":"soon"}',
        created_at: at,
      });
    await insert(pool, 'email_facts', { email_id: id, type: 'DELIVERED', detail: DEEP, created_at: at });
    const sent = await insertOdd(pool, { queue: null, email: { user_id: 'u-1', scheduled_at: at } });
    await insert(pool, 'email_attempts', {
      ...{
        email_id: sent,
        attempt: 1,
        token: 1,
        status: 'sent',
        final: true,
        events: '{RECEIVED,SENT}',
        offsets_ms: '{0,1}',
      },
      ...{ started_at: at, duration_ms: 1, route: 'default', worker: 1, settled_at: at },
    });
    return id;
  }

  async function ask(path: string, as?: string) {
    const answer = await door.call('GET', path, as === undefined ? {} : { as });
    expect(answer.status, `${path}: ${answer.text.slice(0, 200)}`).toBe(200);
    expect(answer.text.length, path).toBeLessThan(3_000_000);
    return answer.body;
  }

  test.each([
    ...[
      '/v1/emails',
      '/v1/emails?companyId=acme',
      '/v1/emails?status=scheduled',
      '/admin/emails',
      '/admin/emails?days=30',
    ],
    ...[
      '/admin/emails/export',
      '/admin/dead-letters',
      '/admin/dead-letters/groups',
      '/admin/overview',
      '/admin/flow',
    ],
    ...[
      '/admin/routes',
      '/admin/pauses',
      '/metrics',
      '/v1/emails?status=failed',
      '/admin/emails?recipient=reader@example.net',
    ],
    ...[1, 24, 168, 720].map((hours) => `/admin/figures?hours=${hours}`),
  ])('GET %s → answers', async (path) => {
    await ask(path);
  });

  test('every page of a list, two at a time → each email once, its odd values as text', async () => {
    const seen = new Map<string, Record<string, unknown>>();
    let cursor: string | null = null;
    do {
      const page = await ask(
        `/v1/emails?companyId=acme&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      for (const email of page.emails) {
        expect(seen.has(email.id)).toBe(false);
        seen.set(email.id, email);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
    for (const id of [...ids, plain]) expect(seen.has(id), id).toBe(true);
    expect(seen.get(ids[0]!)).toMatchObject({
      scheduledAt: 'infinity',
      expiresAt: 'infinity',
      nextAttemptAt: 'infinity',
    });
    expect(seen.get(ids[6]!)).toMatchObject({ scheduledAt: '0044-03-15 00:00:00+00 BC' });
    expect(seen.get(ids[TIMES.length * 3]!)).toMatchObject({ metadata: { text: '"s"' } });
    expect(seen.get(ids[TIMES.length * 3 + 1]!)).toMatchObject({ metadata: { text: 'null' } });
  });

  test('each by itself: fields, journal, detail, content, files → answers', async () => {
    for (const id of [...ids, plain]) {
      for (const path of [
        `/v1/emails/${id}`,
        `/v1/emails/${id}/events`,
        `/admin/emails/${id}`,
        `/admin/emails/${id}/content`,
      ])
        await ask(path);
      await ask(`/v1/emails/${id}/attachments`);
      expect((await door.call('GET', `/v1/emails/${id}/attachments/0`)).status).toBe(404);
      const dead = await door.call('GET', `/admin/dead-letters/${id}`);
      expect([200, 404]).toContain(dead.status);
    }
  });

  test('a user’s own emails and Resend’s lists → answer', async () => {
    const as = signUserToken({ userId: 'u-1', companyId: 'acme' }, USER_KEY);
    expect((await ask('/api/profile/emails', as)).total).toBe(TIMES.length);
    for (const path of [
      '/resend/emails',
      '/resend/emails?limit=100',
      '/resend/usage',
      '/resend/emails/metrics',
    ])
      await ask(path, token);
    let after = '';
    let count = 0;
    for (;;) {
      const page = await ask(`/resend/emails?limit=3${after}`, token);
      count += page.data.length;
      if (!page.has_more) break;
      after = `&after=${page.data.at(-1).id}`;
    }
    expect(count).toBe(ids.length + TIMES.length + 1);
    for (const id of ids) {
      const email = await ask(`/resend/emails/${id}`, token);
      expect(Array.isArray(email.tags)).toBe(true);
      expect(email.to.length).toBeGreaterThan(0);
      await ask(`/resend/emails/${id}/attachments`, token);
    }
  });

  test('tried again, discarded, counted, handed to a broker → done', async () => {
    const store = await door.postrider.ready();
    await tallyEnds(store, { behindMs: 0 });
    for (const act of ['retry', 'discard']) {
      const answer = await door.call('POST', `/admin/dead-letters/${act}`, {
        body: { filter: { companyId: 'acme' } },
      });
      expect(answer.status, answer.text).toBe(200);
    }
    for (const data of (await readJobData(store, ids)).values())
      expect(JSON.stringify(data).length).toBeLessThan(3000);
    expect(await door.postrider.get(ready)).toMatchObject({ createdAt: 'infinity' });
  });

  test('put off and cancelled → 200, also where its time is none', async () => {
    const answers: string[] = [];
    for (const id of ids.filter((_, at) => at % 3 === 0).slice(0, 5)) {
      const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
      const moved = await door.call('PATCH', `/v1/emails/${id}`, { body: { scheduledAt } });
      const cancelled = await door.call('POST', `/v1/emails/${id}/cancel`);
      answers.push(`${moved.status} ${cancelled.status} ${cancelled.body.status}`);
    }
    expect(answers).toEqual(Array(5).fill('200 200 cancelled'));
  });
});

describe('a worker that meets odd rows', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door.close());

  test('claimed with others → they fail with the part that is wrong; what is beside them is sent, the sweep goes on', async () => {
    const { pool, postrider, provider, lines } = door;
    for (const due_at of ['infinity', '-infinity'])
      await insertOdd(pool, { queue: { ready: false, scheduled: true, due_at } });
    // Only then is every address looked up.
    await postrider.suppressions.add([{ email: 'someone@example.net' }], { companyId: 'acme' });
    const failing: Array<[string, string, string]> = [];
    const odd = async (code: string, part: string, parts: Parameters<typeof insertOdd>[1]) =>
      failing.push([await insertOdd(pool, parts), code, part]);
    for (const message of [
      '"s"',
      'null',
      '7',
      '[]',
      '{}',
      '{"to":"x"}',
      '{"to":[null]}',
      '{"to":[{"address":7}]}',
    ])
      await odd('INVALID_PAYLOAD', message.includes('"to"') || message === '{}' ? 'to ' : 'message ', {
        email: { message },
      });
    const to = '"to":[{"address":"reader@example.net"}]';
    for (const part of ['cc', 'bcc', 'headerRecipients', 'replyTo', 'from', 'category'])
      await odd('INVALID_PAYLOAD', `${part} `, { email: { message: `{${to},"${part}":[7]}` } });
    for (const headers of ['[1]', '"s"', '{"X-A":1}'])
      await odd('INVALID_PAYLOAD', 'headers', { email: { message: `{${to},"headers":${headers}}` } });
    for (const attachments of ['"s"', '{}', '[7]', '[{"filename":"a","contentType":"a/b","content":7}]'])
      await odd('INVALID_TEMPLATE', 'attachments ', { body: { attachments } });
    for (const essential of ['"perhaps"', '{}', '7', 'null'])
      await odd('INVALID_PAYLOAD', 'essential ', {
        email: { message: `{${to},"category":"news","essential":${essential}}` },
      });
    for (const remaining of ['{}', '{NULL}', '{{reader@example.net,reader@example.net}}'])
      await odd('INVALID_PAYLOAD', 'remaining ', { queue: { remaining } });
    for (const remaining of ['{other@example.net}', '{"reader@example.net>\r\nRCPT TO:<x@example.net"}'])
      await odd('INVALID_PAYLOAD', 'an address still to be reached', { queue: { remaining } });
    for (const name of ['a\r\nBcc: x@example.net', '\u202e', 'x'.repeat(257)])
      for (const part of ['to', 'cc', 'replyTo'])
        await odd('INVALID_EMAIL', `${part} has a name`, {
          email: {
            message: {
              to: [{ address: 'reader@example.net' }],
              [part]: [{ address: 'reader@example.net', name }],
            },
          },
        });
    for (const file of [
      { filename: '../a', contentType: 'a/b', content: '' },
      { filename: 'a\r\nb', contentType: 'a/b', content: '' },
      { filename: 'a', contentType: 'a/b\r\nX-A: b', content: '' },
      { filename: 'a', contentType: 'multipart/mixed', content: '' },
      { filename: 'a', contentType: 'a/b', content: '', contentId: 'a> b' },
    ])
      await odd('INVALID_TEMPLATE', 'attachments[0] ', { body: { attachments: JSON.stringify([file]) } });
    for (const more of [DEEP, LONG_NUMBERS]) {
      await odd('INVALID_PAYLOAD', 'message is larger', { email: { message: `{${to},"more":${more}}` } });
      await odd('INVALID_TEMPLATE', 'attachments is larger', { body: { attachments: `[${more}]` } });
    }
    await odd('INVALID_TEMPLATE', 'html is larger', { body: { html: LONG.repeat(3) } });
    await odd('INVALID_TEMPLATE', 'text is larger', { body: { text: LONG.repeat(3) } });
    await odd('INVALID_TEMPLATE', 'subject is larger', { email: { subject: LONG } });
    await odd('INVALID_PAYLOAD', 'request_id is larger', { email: { request_id: LONG } });
    await odd('INVALID_PAYLOAD', 'retry is larger', { email: { retry: LONG } });
    await odd('INVALID_PAYLOAD', 'message is larger', {
      email: { message: `{${to},"headers":{"X-A":"${LONG}"}}` },
    });
    await odd('INVALID_EMAIL', 'cc[1] ', {
      email: { message: `{${to},"cc":[{"address":"a@example.net"},{"address":"b"}]}` },
    });
    const early = await insertOdd(pool, { email: { created_at: 'infinity', scheduled_at: '-infinity' } });
    const old = await insertOdd(pool, { email: { created_at: '0044-03-15 BC' } });
    const repeatable = await Promise.all(
      ['infinity', '-infinity'].map((repeatable_until) =>
        insertOdd(pool, { queue: { repeatable_until, possible_duplicate: true } }),
      ),
    );
    const { emailId } = await postrider.send({ to: 'beside@example.net', subject: 'Beside', text: 'x' });
    await pool.query('select postrider.listen_for_webhooks()');
    await pool.query(
      "insert into postrider.webhook_endpoints (tenant, url, events) values ('acme', 'https://127.0.0.1:1/', '{email.sent,email.failed}')",
    );
    await postrider.start();
    for (const id of [emailId, early, old, ...repeatable])
      await waitFor(async () => (await postrider.get(id))?.status === 'sent', {
        timeoutMs: 20_000,
        what: `${id} to be sent`,
      });
    for (const [id, code, part] of failing) {
      const log = await waitFor(
        async () => {
          const found = await postrider.get(id);
          if (found?.status !== 'failed') throw new Error(`${part} is ${found?.status}`);
          return found;
        },
        { timeoutMs: 20_000, what: `${part} to fail` },
      );
      expect(log).toMatchObject({ errorCode: code, attempts: 1 });
      expect(log.errorReason).toContain(part);
      expect(provider.callsFor(id)).toHaveLength(0);
    }
    const { rows } = await pool.query(
      `select count(*)::int as count, max(pg_column_size(payload)) as largest from postrider.webhook_deliveries`,
    );
    expect(rows[0].count).toBeGreaterThanOrEqual(failing.length);
    expect(rows[0].largest).toBeLessThan(100_000);
    for (const said of ['sweep failed', 'open failed', 'could not be opened', 'could not be recorded'])
      expect(
        lines.filter((line) => line.includes(said)),
        said,
      ).toEqual([]);
  });

  test.each(['token', 'attempt'])(
    'the largest %s an integer can be → refused where it is written',
    async (column) => {
      const largest = { token: 2_147_483_647, attempt: 32_767 }[column];
      await expect(insertOdd(door.pool, { queue: { [column]: largest } })).rejects.toMatchObject({
        code: '23514',
      });
    },
  );

  test('published to a broker at no time there is → counted among the others without an error', async () => {
    await insertOdd(door.pool, { queue: { ready: false, rung_at: '-infinity' } });
    await insertOdd(door.pool, { queue: { ready: false, rung_at: '2026-01-01' } });
    const { out, oldestMs } = await countOutstanding(await door.postrider.ready(), { heardUpTo: null });
    expect(out).toBe(1);
    expect(oldestMs).toBeGreaterThan(0);
  });

  test.each<[string, string | null]>([
    ['two months ago', '2026-01-01'],
    ['at no time there is', '-infinity'],
    ['never', null],
    ['ten years ahead', '2036-01-01'],
  ])('begun or opened %s by a worker that is dead → taken over', async (_when, claimed_at) => {
    const { pool, postrider } = door;
    await recognizeEpoch(await postrider.ready(), 'postgres');
    const { rows } = await pool.query<{ id: number; lease: number }>(
      "insert into postrider.workers (instance, host, pid) values ('dead', 'here', 1) returning id, lease",
    );
    const dead = rows[0]!;
    const held = { ready: false, owner: dead.id, claimed_at };
    const id = await insertOdd(pool, { queue: { ...held, begun: true, at_most_once: true } });
    const repeated = await insertOdd(pool, { queue: { ...held, begun: true } });
    const opened = await insertOdd(pool, { queue: { ...held, opened: true } });
    const lethal = await insertOdd(pool, { queue: { ...held, opened: true, alone: true, crashes: 2 } });
    expect(
      await takeOverWorker(await postrider.ready(), { ...dead, beat: null, epoch: null, died: true }),
    ).toMatchObject({ unknown: 1, suspects: 2, crashLoops: 1 });
    expect(await postrider.get(id)).toMatchObject({ status: 'unknown', errorCode: 'WORKER_DIED' });
    expect(await postrider.get(repeated)).toMatchObject({ possibleDuplicate: true });
    expect(await postrider.get(opened)).toMatchObject({ possibleDuplicate: false });
    expect(await postrider.get(lethal)).toMatchObject({ status: 'failed', errorCode: 'CRASH_LOOP' });
  });
});
