import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { insertOdd, type OddEmail } from './ground/odd-rows.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/** The SQL door: ready content from any language, checked by the worker in full. */
describe('accept_v1 on PostgreSQL', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  async function accept(parts: Record<string, unknown>, via: pg.Pool | pg.ClientBase = journey.pool) {
    const given = { to_address: 'reader@example.net', subject: 'Hello', html: '<p>Hello</p>', ...parts };
    const names = Object.keys(given);
    const { rows } = await via.query<{ id: string }>(
      `select postrider.accept_v1(${names.map((name, i) => `${name} => $${i + 1}`).join(', ')}) as id`,
      Object.values(given),
    );
    return rows[0]!.id;
  }

  test('committed → sent with every field it was given', async () => {
    const id = await accept({
      text_body: 'Hello',
      from_address: 'shop@example.org',
      company_id: 'acme',
      type: 'receipt',
      priority: 1,
      user_id: 'u-1',
      metadata: { order: 7 },
      request_id: 'req-sql',
      headers: { 'X-Order': '7' },
      reply_to: 'help@example.org',
    });
    expect(await journey.untilStatus(id, 'sent')).toMatchObject({
      companyId: 'acme',
      type: 'receipt',
      priority: 1,
      userId: 'u-1',
      metadata: { order: 7 },
      requestId: 'req-sql',
      to: 'reader@example.net',
    });
    expect(journey.provider.callsFor(id)).toMatchObject([{ messageId: `<${id}@example.org>` }]);
  });

  test('only to, subject and text → sent', async () => {
    const { rows } = await journey.pool.query<{ id: string }>(
      "select postrider.accept_v1('reader@example.net', 'Hello', text_body => 'Hello') as id",
    );
    await journey.untilStatus(rows[0]!.id, 'sent');
  });

  test('rolled back → nothing exists; committed later → woken by the bell, not by the poll', async () => {
    const client = await journey.pool.connect();
    try {
      await client.query('begin');
      const gone = await accept({}, client);
      await client.query('rollback');
      await client.query('begin');
      const kept = await accept({}, client);
      await client.query('commit');
      await journey.untilStatus(kept, 'sent');
      expect(await journey.postrider.get(gone)).toBeNull();
      for (const [table, key] of [
        ['emails', 'id'],
        ['email_bodies', 'email_id'],
        ['email_queue', 'id'],
      ]) {
        const found = await client.query(`select 1 from postrider.${table} where ${key} = $1`, [gone]);
        expect(found.rowCount, table).toBe(0);
      }
    } finally {
      client.release();
    }
  });

  test('a role with only usage and execute → may send and may read nothing', async () => {
    const { pool, url } = journey;
    const role = `teller_${Date.now()}`;
    await pool.query(`create role ${role} login password 'secret'`);
    await pool.query(`grant usage on schema postrider to ${role}`);
    await pool.query(`grant execute on function postrider.accept_v1 to ${role}`);
    const as = new URL(url);
    as.username = role;
    as.password = 'secret';
    const client = new pg.Client({ connectionString: as.href });
    await client.connect();
    try {
      const id = await accept({}, client);
      await expect(client.query('select 1 from postrider.emails')).rejects.toMatchObject({ code: '42501' });
      await expect(client.query('delete from postrider.email_queue')).rejects.toMatchObject({
        code: '42501',
      });
      await journey.untilStatus(id, 'sent');
    } finally {
      await client.end();
      await pool.query(`drop owned by ${role}`);
      await pool.query(`drop role ${role}`);
    }
  });

  test('a type of the caller’s temporary schema → does not run with the rights of the owner', async () => {
    const { pool, url } = journey;
    const role = `shadow_${Date.now()}`;
    await pool.query(`create role ${role} login password 'secret'`);
    await pool.query(`grant usage on schema postrider to ${role}`);
    await pool.query(`grant execute on function postrider.accept_v1 to ${role}`);
    const as = new URL(url);
    as.username = role;
    as.password = 'secret';
    const client = new pg.Client({ connectionString: as.href });
    const ran: string[] = [];
    client.on('notice', (notice) => ran.push(notice.message ?? ''));
    await client.connect();
    try {
      await client.query(`create function pg_temp.runs(value anyelement) returns boolean language plpgsql as $$
        begin raise notice 'runs as %', current_user; return true; end $$`);
      for (const type of ['jsonb', 'text', 'uuid', 'timestamptz', 'int4', 'record'])
        if (type !== 'record')
          await client.query(
            `create domain pg_temp.${type} as pg_catalog.${type} check (pg_temp.runs(value))`,
          );
      await accept({ metadata: '{"a":1}', headers: '{"X-A":"1"}', scheduled_at: new Date() }, client);
      expect(ran.filter((said) => !said.includes(role))).toEqual([]);
    } finally {
      await client.end();
      await pool.query(`drop owned by ${role}`);
      await pool.query(`drop role ${role}`);
    }
  });

  test('every function that runs with the owner’s rights → for nobody but who is granted it, temporary types last', async () => {
    const { rows } = await journey.pool.query(
      `select p.proname, p.proconfig from pg_proc p where p.pronamespace = 'postrider'::regnamespace and (
         (p.prosecdef and (not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false)
           or has_function_privilege('public', p.oid, 'execute')))
         or 'search_path=pg_catalog' = any (p.proconfig))`,
    );
    expect(rows).toEqual([]);
  });

  test('a role without execute → refused', async () => {
    const { rows } = await journey.pool.query(
      `select has_function_privilege('public', oid, 'execute') as open from pg_proc
       where proname = 'accept_v1' and pronamespace = 'postrider'::regnamespace`,
    );
    expect(rows).toEqual([{ open: false }]);
  });

  test.each([
    ['no subject', { subject: null }, '22004'],
    ['no content', { html: null }, '22004'],
    ['priority 9', { priority: 9 }, '22023'],
    ['an empty company', { company_id: '' }, '22023'],
    ['an unknown delivery', { delivery: 'twice' }, '22023'],
    ['no attempts', { max_attempts: 0 }, '22023'],
    ['a route that is no name', { route: 'x'.repeat(10_000) }, '22023'],
    ['a body of 100 MB', { html: null, text_body: 'x'.repeat(100_000_000) }, '22023'],
  ])('%s → an SQL error at once', async (_case, parts, code) => {
    await expect(accept(parts)).rejects.toMatchObject({ code });
  });

  const to = [{ address: 'reader@example.net' }];
  const withHeaders = (headers: unknown) => ({ email: { message: JSON.stringify({ to, headers }) } });
  const toAddress = (address: string) => ({
    email: { to_address: address, message: JSON.stringify({ to: [{ address }] }) },
  });
  test.each<[string, OddEmail, string]>([
    ['a header with a line break', withHeaders({ 'X-A': 'a\r\nBcc: x@example.net' }), 'INVALID_PAYLOAD'],
    ['a header name with a colon', withHeaders({ 'X:A': 'a' }), 'INVALID_PAYLOAD'],
    ['a header that names a hidden recipient', withHeaders({ Bcc: 'spy@example.net' }), 'INVALID_PAYLOAD'],
    ['a header that sets the content type', withHeaders({ 'content-type': 'text/plain' }), 'INVALID_PAYLOAD'],
    ['headers that are a list', withHeaders(['X-A']), 'INVALID_PAYLOAD'],
    ['an unknown preset', { email: { retry: 'never' } }, 'INVALID_PAYLOAD'],
    ['an address without a domain', toAddress('reader'), 'INVALID_EMAIL'],
    ['an address with a line break', toAddress('a@example.net\r\nx'), 'INVALID_EMAIL'],
    [
      'a sender that is none',
      { email: { message: JSON.stringify({ to, from: { address: 'me' } }) } },
      'INVALID_EMAIL',
    ],
    ['a recipient nobody knows', { email: { recipient_id: crypto.randomUUID() } }, 'RECIPIENT_NOT_FOUND'],
    ['script', { body: { html: '<p>x</p><script>alert(1)</script>' } }, 'INVALID_TEMPLATE'],
    ['an event handler', { body: { html: '<img src=x onerror=alert(1)>' } }, 'INVALID_TEMPLATE'],
    ['a javascript: link', { body: { html: '<a href="java\nscript:alert(1)">x</a>' } }, 'INVALID_TEMPLATE'],
    ['a subject of 151 characters', { email: { subject: 'x'.repeat(151) } }, 'INVALID_TEMPLATE'],
    ['more than 512 KB', { body: { html: 'x'.repeat(512 * 1024 + 1) } }, 'INVALID_TEMPLATE'],
    ['an empty body', { body: { html: '  ', text: '' } }, 'INVALID_TEMPLATE'],
  ])(
    '%s, as older code took it → VALIDATION_FAILED, then FAILED, never handed over',
    async (_case, parts, code) => {
      const { postrider, pool, provider, untilStatus } = journey;
      const id = await insertOdd(pool, parts);
      expect(await untilStatus(id, 'failed')).toMatchObject({ errorCode: code, attempts: 1 });
      const events = await postrider.timeline(id);
      expect(events.map(({ type }) => type)).toEqual(['ENQUEUED', 'RECEIVED', 'VALIDATION_FAILED', 'FAILED']);
      expect(events[3]!.metadata).toMatchObject({
        errorCode: code,
        errorCategory: 'VALIDATION_ERROR',
        errorMessage: expect.any(String),
        validation: expect.stringMatching(/^(INTEGRITY|RECIPIENT|TEMPLATE)$/),
        willRetry: false,
      });
      expect(provider.callsFor(id)).toHaveLength(0);
    },
  );

  test('failed validations → counted by kind', async () => {
    const text = await journey.postrider.metrics.registry.metrics();
    for (const type of ['INTEGRITY', 'RECIPIENT', 'TEMPLATE']) {
      expect(text).toMatch(new RegExp(`pipeline_validation_failures_total\\{type="${type}"\\} [1-9]`));
    }
  });

  test('a recipient of the company with this address → sent; deleted before the attempt → RECIPIENT_NOT_FOUND', async () => {
    const { pool, untilStatus } = journey;
    const { rows } = await pool.query<{ id: string }>(
      "insert into postrider.recipients (tenant, email) values ('acme', 'Known@example.net') returning id",
    );
    const recipient_id = rows[0]!.id;
    const known = { company_id: 'acme', to_address: 'known@example.net', recipient_id };
    await untilStatus(await accept(known), 'sent');
    await untilStatus(await accept({ ...known, company_id: 'other' }), 'failed');
    const later = await accept({ ...known, scheduled_at: new Date(Date.now() + 400) });
    await pool.query('update postrider.recipients set deleted_at = now() where id = $1', [recipient_id]);
    expect(await untilStatus(later, 'failed')).toMatchObject({ errorCode: 'RECIPIENT_NOT_FOUND' });
  });

  test('a queue row with no email behind it → ends as OUTBOX_NOT_FOUND and does not come back', async () => {
    const { pool, untilEmpty } = journey;
    const { rows } = await pool.query<{ id: string }>(
      `insert into postrider.email_queue (id, max_attempts, priority, ready, route, tenant)
       values (postrider.new_id(), 5, 3, true, 'default', 'acme') returning id`,
    );
    await untilEmpty();
    const attempts = await pool.query(
      'select status, error_code, events::text[] as events from postrider.email_attempts where email_id = $1',
      [rows[0]!.id],
    );
    expect(attempts.rows).toEqual([
      {
        status: 'failed',
        error_code: 'OUTBOX_NOT_FOUND',
        events: ['RECEIVED', 'VALIDATION_FAILED', 'FAILED'],
      },
    ]);
  });

  test('content changed by a foreign hand after accept → INVALID_TEMPLATE, not sent', async () => {
    const { postrider, pool, provider, untilStatus } = journey;
    const { emailId } = await postrider.schedule(
      { to: 'reader@example.net', subject: 'Hello', text: 'Hello' },
      new Date(Date.now() + 400),
    );
    await pool.query("update postrider.email_bodies set html = '<p>other</p>' where email_id = $1", [
      emailId,
    ]);
    expect(await untilStatus(emailId, 'failed')).toMatchObject({ errorCode: 'INVALID_TEMPLATE' });
    expect(provider.callsFor(emailId)).toHaveLength(0);
  });
});
