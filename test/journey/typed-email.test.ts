import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { createPostrider, defineEmail, type OutgoingEmail } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { createApi } from '../../src/server.js';
import { createTestDatabase, describeWith, type TestDatabase, waitFor } from '../services/index.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/**
 * From `send({ type, to, lang, data })` to what the provider is handed: content by language, the type's own choices,
 * its files; refusals that name the field and leave no row.
 */
const shopReceipt = defineEmail({
  type: 'shop_receipt',
  portal: 'org',
  category: 'orders',
  priority: 4,
  retry: 'system',
  delivery: 'at-most-once',
  expiresIn: '2h',
  data: z.strictObject({ total: z.number() }),
  sample: { total: 12.5 },
  content: { subject: 'Receipt', html: '<p>{{number total currency="EUR"}}</p>' },
});
const reset = { name: 'Ada <3', resetUrl: 'https://app.example.com/r?a=1&b=2', expiresInMinutes: 30 };

describeWith('postgres')('a typed email', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  const outgoing: OutgoingEmail[] = [];
  const scripted = scriptedProvider();
  const provider: typeof scripted = {
    ...scripted,
    send(email, attempt) {
      outgoing.push(email);
      return scripted.send(email, attempt);
    },
  };
  let postrider: ReturnType<typeof open>;

  const open = (config = {}, types = [shopReceipt] as const) =>
    createPostrider({
      ...{ database: database.url, provider, types, config, logger: silentLogger },
      from: { address: 'noreply@example.com' },
    });
  const rowOf = async (id: string) =>
    (
      await pool.query(
        `select e.*, coalesce(b.subject, e.subject) as subject, b.html, b.text, b.attachments from postrider.emails e
         join postrider.email_bodies b on b.email_id = e.id where e.id = $1`,
        [id],
      )
    ).rows[0];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 3 });
    pool.on('error', () => undefined);
    postrider = open();
    await postrider.ready();
  });
  afterAll(async () => {
    await postrider?.stop({ deadlineMs: 2000 });
    await pool?.end();
    await database?.drop();
  });

  test('the compiler → knows the data of every type', () => {
    type Sent = Parameters<typeof postrider.send>[0];
    expectTypeOf<{ type: 'shop_receipt'; to: string; data: { total: number } }>().toMatchTypeOf<Sent>();
    expectTypeOf<{ type: 'password_reset'; to: string; data: typeof reset }>().toMatchTypeOf<Sent>();
    expectTypeOf<{ type: 'shop_receipt'; to: string; data: { total: string } }>().not.toMatchTypeOf<Sent>();
    expectTypeOf<{ type: 'shop_receipt'; to: string }>().not.toMatchTypeOf<Sent>();
    expectTypeOf<{ type: 'nothing'; to: string; data: object }>().not.toMatchTypeOf<Sent>();
    // @ts-expect-error a field of the data is missing
    const missing: Sent = { type: 'password_reset', to: 'a@example.com', data: { name: 'Ada' } };
    expect(missing).toBeDefined();
  });

  test('sent by type → the provider gets content in the language, escaped, with text', async () => {
    await postrider.start();
    const { emailId } = await postrider.send({
      type: 'password_reset',
      to: 'a@example.com',
      lang: 'de-AT',
      data: reset,
    });
    const sent = await waitFor(() => outgoing.find((email) => email.id === emailId), {
      timeoutMs: 10_000,
      what: 'the email at the provider',
    });
    expect(sent.subject).toBe('Passwort zurücksetzen');
    expect(sent.html).toContain('Hallo Ada &lt;3,');
    expect(sent.html).toContain('href="https://app.example.com/r?a=1&amp;b=2"');
    expect(sent.text).toContain('Hallo Ada <3,');
    expect(sent.text).toContain('\nhttps://app.example.com/r?a=1&b=2\n');
  });

  test('a sensitive type → its body is there until it is sent, and gone after', async () => {
    const email = { type: 'password_reset', to: 'a@example.com', data: reset } as const;
    const later = await postrider.schedule(email, new Date(Date.now() + 3_600_000));
    expect(await rowOf(later.emailId)).toMatchObject({ sensitive: true });
    const { emailId } = await postrider.send(email);
    await waitFor(async () => (await postrider.get(emailId))?.status === 'sent', {
      timeoutMs: 10_000,
      what: 'sent',
    });
    expect(await rowOf(emailId)).toBeUndefined();
  });

  test("a sensitive email in the sender's own words → its subject arrives, and no list, log, webhook or table shows it", async () => {
    const secret = '58-31-77';
    const email = {
      ...{ type: 'verification', to: 'subject@example.com', userId: 'u-subject', companyId: 'hidden' },
      ...{ subject: `Your code is ${secret}`, text: 'It is in the subject.' },
    } as const;
    const later = await postrider.schedule(email, new Date(Date.now() + 3_600_000));
    const { emailId } = await postrider.send(email);
    await waitFor(async () => (await postrider.get(emailId))?.status === 'sent', {
      timeoutMs: 10_000,
      what: 'sent',
    });
    const batch = await postrider.sendBatch(
      Array.from({ length: 20 }, (_, n) => ({ ...email, to: `subject-${n}@example.com` })),
    );
    await waitFor(async () => (await postrider.get(batch.at(-1)!.emailId))?.status === 'sent', {
      timeoutMs: 10_000,
      what: 'the batch sent',
    });
    const subjects = outgoing
      .filter(({ to }) => to[0]?.address.startsWith('subject'))
      .map(({ subject }) => subject);
    expect(subjects).toEqual(Array(21).fill(email.subject));
    const api = createApi(postrider as never, { apiKey: 'k', logger: silentLogger });
    const asked = (path: string) =>
      api(new Request(`http://localhost${path}`, { headers: { Authorization: 'Bearer k' } })).then((answer) =>
        answer.text(),
      );
    const looks = [
      JSON.stringify(await postrider.get(later.emailId)),
      JSON.stringify(await postrider.list({ companyId: 'hidden' })),
      JSON.stringify(await postrider.userEmails({ userId: 'u-subject', companyId: 'hidden' })),
      await asked(`/v1/emails/${later.emailId}`),
      await asked('/v1/emails?companyId=hidden'),
      await asked('/admin/emails?companyId=hidden'),
      await asked(`/admin/emails/${later.emailId}`),
      await asked('/admin/emails/export?companyId=hidden'),
    ];
    for (const look of looks) {
      expect(look).toContain('(hidden)');
      expect(look).not.toContain(secret);
    }
    const { rows } = await pool.query(
      `select e.subject, l.subject as logged, count(b.subject)::int as kept from postrider.emails e
       join postrider.email_logs l using (id) left join postrider.email_bodies b on b.email_id = e.id
       where e.tenant = 'hidden' group by 1, 2`,
    );
    expect(rows).toEqual([{ subject: '(hidden)', logged: '(hidden)', kept: 1 }]);
  });

  test('a sensitive email → no way of looking shows what lets someone in; once sent, no table holds it', async () => {
    const secret = 'tok-7f3a91c2';
    const data = { ...reset, resetUrl: `https://app.example.com/r?token=${secret}` };
    const email = { type: 'password_reset', to: 'b@example.com', data } as const;
    const later = await postrider.schedule(email, new Date(Date.now() + 3_600_000));
    const api = createApi(postrider as never, { apiKey: 'k', logger: silentLogger });
    const asked = (path: string) =>
      api(new Request(`http://localhost${path}`, { headers: { Authorization: 'Bearer k' } })).then((answer) =>
        answer.text(),
      );
    const looks = async (id: string) => [
      JSON.stringify(await postrider.get(id)),
      JSON.stringify(await postrider.timeline(id)),
      JSON.stringify(await postrider.overview()),
      await asked(`/v1/emails/${id}`),
      await asked(`/v1/emails/${id}/events`),
      JSON.stringify((await pool.query('select * from postrider.email_logs where id = $1', [id])).rows),
    ];
    expect((await looks(later.emailId)).join()).not.toContain(secret);
    await postrider.cancel(later.emailId);
    const { emailId } = await postrider.send(email);
    await waitFor(async () => (await postrider.get(emailId))?.status === 'sent', {
      timeoutMs: 10_000,
      what: 'sent',
    });
    expect((await looks(emailId)).join()).not.toContain(secret);
    await pool.query('delete from postrider.email_bodies where email_id = $1', [later.emailId]);
    const { rows: tables } = await pool.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'postrider'`,
    );
    for (const { name } of tables) {
      const { rows } = await pool.query(
        `select count(*)::int as found from postrider.${name} t where t::text like $1`,
        [`%${secret}%`],
      );
      expect([name, rows[0].found]).toEqual([name, 0]);
    }
  });

  test('a brand with a logo → the picture goes along inside, for the company it was set for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'brand-'));
    const file = join(folder, 'logo.png');
    writeFileSync(file, Buffer.from('89504e470d0a1a0a', 'hex'));
    const branded = createPostrider({
      ...{ database: database.url, provider, logger: silentLogger, from: { address: 'noreply@example.com' } },
      brands: [{ companyId: 'acme', name: 'Acme Ltd', logo: { file, width: 120 } }],
    });
    const send = async (companyId: string) => {
      const at = new Date(Date.now() + 3_600_000);
      const email = { type: 'welcome', to: 'a@example.com', companyId, data: { name: 'Ada' } } as const;
      return rowOf((await branded.schedule(email, at)).emailId);
    };
    try {
      const { subject, html, attachments } = await send('acme');
      expect([subject, html]).toEqual([
        'Welcome to Acme Ltd',
        expect.stringContaining('src="cid:brand-logo"'),
      ]);
      expect(attachments).toEqual([
        expect.objectContaining({ filename: 'logo.png', contentType: 'image/png', contentId: 'brand-logo' }),
      ]);
      expect(await send('other')).toMatchObject({ subject: 'Welcome to Eve', attachments: null });
    } finally {
      await branded.stop({ deadlineMs: 1000 });
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test("the type's choices → are used, and overridden by the sender's", async () => {
    const at = new Date(Date.now() + 3_600_000);
    const email = { type: 'shop_receipt', to: 'a@example.com', data: { total: 3 }, scheduledAt: at } as const;
    const chosen = await rowOf((await postrider.send(email)).emailId);
    expect(chosen).toMatchObject({
      priority: 4,
      retry: 'system',
      delivery: 'at-most-once',
      type: 'shop_receipt',
    });
    expect(chosen.expires_at.getTime() - at.getTime()).toBe(7_200_000);
    expect(chosen.html).toContain('€3.00');
    const expiresAt = new Date(at.getTime() + 60_000);
    const said = { priority: 1, retry: 'broker', delivery: 'at-least-once', expiresAt } as const;
    expect(await rowOf((await postrider.send({ ...email, ...said })).emailId)).toMatchObject({
      ...{ priority: 1, retry: 'broker', delivery: 'at-least-once', expires_at: expiresAt },
    });
  });

  test('a meeting → carries its calendar entry beside the files of the sender', async () => {
    const data = {
      ...{
        name: 'Ada',
        host: 'Grace',
        meetingId: 'm1',
        title: 'Circle',
        guestCount: 1,
        timeZone: 'Asia/Seoul',
      },
      ...{ startsAt: '2030-05-14T16:00:00Z', endsAt: '2030-05-14T17:00:00Z' },
    };
    const attachments = [{ filename: 'a.txt', content: 'QQ==' }];
    const accepted = await postrider.send({
      type: 'meeting_scheduled',
      to: 'a@example.com',
      lang: 'ko',
      data,
      attachments,
    });
    const row = await rowOf(accepted.emailId);
    expect(row.subject).toBe('모임: Circle');
    expect(row.text).toContain('2030년 5월 15일 수요일');
    expect(row.attachments.map((file: { filename: string }) => file.filename)).toEqual([
      'a.txt',
      'meeting.ics',
    ]);
    const entry = Buffer.from(row.attachments[1].content, 'base64').toString();
    expect(entry).toMatch(/BEGIN:VEVENT\r\nUID:[0-9a-f-]{36}\r\nSEQUENCE:\d+\r\nDTSTAMP:20\d{6}T\d{6}Z\r\n/);
  });

  test('type with content → a label, whatever the data', async () => {
    const content = { subject: 'Mine', text: 'x', data: { anything: 1 } };
    const row = await rowOf(
      (await postrider.send({ type: 'password_reset', to: 'label@example.com', ...content })).emailId,
    );
    expect(row).toMatchObject({ subject: 'Mine', type: 'password_reset', priority: 3, expires_at: null });
    expect(row, "a code is a code in the sender's own words").toMatchObject({ sensitive: true });
  });

  test.each([
    [
      'a field is missing',
      { data: { name: 'Ada', expiresInMinutes: 1 } },
      'INVALID_PAYLOAD',
      'data.resetUrl',
    ],
    ['no data at all', {}, 'INVALID_PAYLOAD', 'data.name'],
    [
      'a field is wrong',
      { data: { ...reset, expiresInMinutes: 'x' } },
      'INVALID_PAYLOAD',
      'data.expiresInMinutes',
    ],
    ['a field is unknown', { data: { ...reset, mane: 1 } }, 'INVALID_PAYLOAD', 'data.mane'],
    [
      'a link would run',
      { data: { ...reset, resetUrl: 'javascript:alert(1)' } },
      'INVALID_PAYLOAD',
      'data.resetUrl',
    ],
    ['the type is unknown', { type: 'pasword_reset', data: reset }, 'UNKNOWN_TYPE', 'type'],
    ['a subject comes along', { subject: 'x', data: reset }, 'INVALID_PAYLOAD', 'subject'],
  ])('%s → refused by name, nothing is written, the transaction goes on', async (_, extra, code, field) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const email = { type: 'password_reset', to: 'refused@example.com', ...extra } as never;
      await expect(postrider.send(email, { tx: client })).rejects.toMatchObject({ code, field });
      await expect(postrider.sendBatch([email])).rejects.toMatchObject({ code, field: `[0].${field}` });
      expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      await client.query('commit');
    } finally {
      client.release();
    }
    const { rowCount } = await pool.query(
      "select 1 from postrider.emails where to_address = 'refused@example.com'",
    );
    expect(rowCount).toBe(0);
  });
});
