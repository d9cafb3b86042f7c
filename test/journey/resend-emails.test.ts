import { once } from 'node:events';
import { createConnection } from 'node:net';
import { Resend } from 'resend';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { type Door, openDoor } from './ground/open-door.js';

/** The official client against `/resend`: nothing is changed but its base URL. */
let door: Door;
let resend: Resend;
let token: string;
const mail = { from: 'Acme <hi@acme.test>', to: 'ann@example.net', subject: 'Hello', html: '<p>Hi</p>' };

beforeAll(async () => {
  door = await openDoor();
  const { tenants, keys } = door.postrider.access;
  for (const companyId of ['acme', 'other']) await tenants.create({ companyId });
  token = (await keys.create({ companyId: 'acme', name: 'full' })).token;
});
beforeEach(() => {
  resend = client(token);
});
afterAll(() => door.close());

function client(key: string): Resend {
  return new Resend(key, { baseUrl: `${door.url}/resend` });
}

async function sent(options: Parameters<Resend['emails']['send']>[0]): Promise<string> {
  const { data, error } = await resend.emails.send(options);
  expect(error).toBeNull();
  return data!.id;
}

describe('sending', () => {
  test('every field → kept, and shown again by get', async () => {
    const id = await sent({
      ...mail,
      to: ['Ann <ann@example.net>', 'bob@example.net'],
      cc: 'cc@example.net',
      bcc: ['bcc@example.net'],
      replyTo: 'reply@acme.test',
      text: 'Hi',
      headers: { 'X-Entity-Ref-ID': '7' },
      tags: [{ name: 'category', value: 'confirm_email' }],
    });
    const { data, error } = await resend.emails.get(id);
    expect(error).toBeNull();
    expect(data).toMatchObject({
      object: 'email',
      id,
      from: 'Acme <hi@acme.test>',
      to: ['Ann <ann@example.net>', 'bob@example.net'],
      cc: ['cc@example.net'],
      bcc: ['bcc@example.net'],
      reply_to: ['reply@acme.test'],
      subject: 'Hello',
      html: '<p>Hi</p>',
      text: 'Hi',
      tags: [{ name: 'category', value: 'confirm_email' }],
      scheduled_at: null,
      last_event: 'queued',
    });
    const [row] = (await door.pool.query('select tenant, metadata from postrider.emails where id = $1', [id]))
      .rows;
    expect(row).toEqual({ tenant: 'acme', metadata: { tags: { category: 'confirm_email' } } });
  });

  test('a sending key → may send and nothing else: restricted_api_key', async () => {
    const sending = await door.postrider.access.keys.create({
      companyId: 'acme',
      name: 's',
      permission: 'sending',
    });
    const restricted = client(sending.token);
    const { data } = await restricted.emails.send(mail);
    expect(data?.id).toMatch(/^[0-9a-f-]{36}$/);
    const { error } = await restricted.emails.get(data!.id);
    expect(error).toMatchObject({ name: 'restricted_api_key', statusCode: 401 });
  });

  test.each([
    ['no from', { from: undefined }, 'missing_required_field', 422],
    ['no to', { to: undefined }, 'missing_required_field', 422],
    ['no subject', { subject: undefined }, 'missing_required_field', 422],
    ['no content', { html: undefined }, 'missing_required_field', 422],
    ['a from that is none', { from: 'acme' }, 'invalid_from_address', 422],
    ['a to that is none', { to: 'nobody' }, 'validation_error', 422],
    ['a tag with a space', { tags: [{ name: 'a b', value: 'c' }] }, 'validation_error', 422],
    ['a time nobody understands', { scheduledAt: 'when the moon is full' }, 'validation_error', 422],
    ['a broken file', { attachments: [{ filename: 'a.txt', content: '!!' }] }, 'invalid_attachment', 422],
    ['a script', { html: '<script>1</script>' }, 'validation_error', 422],
  ])('%s → %s in the shape of Resend', async (_case, wrong, name, statusCode) => {
    const { data, error } = await resend.emails.send({ ...mail, ...wrong } as never);
    expect(data).toBeNull();
    expect(error).toMatchObject({ name, statusCode, message: expect.any(String) });
  });

  test('a key that is none, no key, an unknown path, another method → their names and statuses', async () => {
    expect((await client('re_nothing').emails.send(mail)).error).toMatchObject({
      name: 'invalid_api_key',
      statusCode: 403,
    });
    const bare = await fetch(`${door.url}/resend/emails`, { method: 'POST', body: '{}' });
    expect([bare.status, await bare.json()]).toMatchObject([
      401,
      { name: 'missing_api_key', statusCode: 401 },
    ]);
    const away = await door.call('GET', '/resend/inboxes', { as: token });
    expect([away.status, away.body.name]).toEqual([404, 'not_found']);
    const wrong = await door.call('DELETE', '/resend/emails', { as: token });
    expect([wrong.status, wrong.body.name]).toEqual([405, 'method_not_allowed']);
  });

  test("a sender that is not the tenant's → validation_error 403", async () => {
    const { tenants, keys } = door.postrider.access;
    await tenants.create({ companyId: 'strict', fromDomains: ['strict.test'] });
    const strict = client((await keys.create({ companyId: 'strict', name: 'k' })).token);
    expect((await strict.emails.send(mail)).error).toMatchObject({
      name: 'validation_error',
      statusCode: 403,
    });
    expect((await strict.emails.send({ ...mail, from: 'a@strict.test' })).error).toBeNull();
  });
});

describe('attachments', () => {
  test('base64, Buffer, a Buffer as JSON and a list of bytes → one file each, fetched by its link', async () => {
    const bytes = Buffer.from('hello file');
    const id = await sent({
      ...mail,
      attachments: [
        { filename: 'a.txt', content: bytes.toString('base64') },
        { filename: 'b.bin', content: bytes },
        { filename: 'c.png', content: bytes, contentId: 'logo', contentType: 'image/png' },
      ],
    });
    const older = await door.call('POST', '/resend/emails', {
      as: token,
      body: {
        ...mail,
        attachments: [
          { filename: 'd.txt', content: bytes }, // as JSON.stringify shows a Buffer
          { filename: 'e.txt', content: [...bytes] },
        ],
      },
    });
    expect(older.status).toBe(200);
    for (const [email, count] of [
      [id, 3],
      [older.body.id, 2],
    ] as const) {
      const listed = await resend.emails.attachments.list({ emailId: email });
      expect(listed.error).toBeNull();
      expect(listed.data?.data).toHaveLength(count);
      for (const file of listed.data!.data) {
        expect(file.size).toBe(bytes.length);
        const answer = await fetch(file.download_url);
        expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
      }
    }
    const inline = await resend.emails.attachments.list({ emailId: id });
    expect(inline.data?.data.map(({ filename }) => filename)).toEqual(['a.txt', 'b.bin', 'c.png']);
    const second = await resend.emails.attachments.list({
      emailId: id,
      limit: 1,
      after: inline.data!.data[0]!.id,
    });
    expect([second.data?.data[0]?.filename, second.data?.has_more]).toEqual(['b.bin', true]);
    const png = inline.data!.data.find((file) => file.filename === 'c.png')!;
    const one = await resend.emails.attachments.get({ emailId: id, id: png.id });
    expect(one.data).toMatchObject({
      object: 'attachment',
      content_type: 'image/png',
      content_disposition: 'inline',
      content_id: 'logo',
    });
    const forged = png.download_url.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'));
    expect((await fetch(forged.slice(0, -3))).status).toBe(404);
  });
});

describe('times', () => {
  test('scheduled in words → scheduled, moved by update, taken back by cancel, not twice', async () => {
    const id = await sent({ ...mail, scheduledAt: 'in 1 hour' });
    const first = (await resend.emails.get(id)).data!;
    expect(first.last_event).toBe('scheduled');
    expect(Date.parse(first.scheduled_at!) - Date.now()).toBeGreaterThan(3_500_000);
    const later = new Date(Date.now() + 7_200_000).toISOString();
    expect((await resend.emails.update({ id, scheduledAt: later })).data).toEqual({ object: 'email', id });
    expect((await resend.emails.get(id)).data!.scheduled_at).toBe(later);
    expect((await resend.emails.cancel(id)).data).toEqual({ object: 'email', id });
    expect((await resend.emails.get(id)).data!.last_event).toBe('canceled');
    expect((await resend.emails.cancel(id)).error).toMatchObject({
      name: 'validation_error',
      statusCode: 422,
    });
  });
});

describe('idempotency', () => {
  test('the same key and body → the same id, also for words that mean another time now', async () => {
    const options = { idempotencyKey: 'order-1' };
    const body = { ...mail, scheduledAt: 'in 1 hour' };
    const first = await resend.emails.send(body, options);
    const again = await resend.emails.send(body, options);
    expect(again.data?.id).toBe(first.data!.id);
    const other = await resend.emails.send({ ...mail, subject: 'Other' }, options);
    expect(other.error).toMatchObject({ name: 'invalid_idempotent_request', statusCode: 409 });
  });

  test('256 characters → taken, 257 → invalid_idempotency_key', async () => {
    expect((await resend.emails.send(mail, { idempotencyKey: 'k'.repeat(256) })).error).toBeNull();
    expect((await resend.emails.send(mail, { idempotencyKey: 'k'.repeat(257) })).error).toMatchObject({
      name: 'invalid_idempotency_key',
      statusCode: 400,
    });
  });

  test('ten at once with one key → one email; the others get its id or concurrent_idempotent_requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => resend.emails.send(mail, { idempotencyKey: 'at-once' })),
    );
    const ids = new Set(answers.flatMap(({ data }) => data?.id ?? []));
    expect(ids.size).toBe(1);
    for (const { error } of answers) if (error) expect(error.name).toBe('concurrent_idempotent_requests');
  });
});

describe('batches', () => {
  const three = [mail, { ...mail, to: 'nobody' }, { ...mail, to: 'carl@example.net' }];

  test('all are right → their ids in order', async () => {
    const { data } = await resend.batch.send([mail, { ...mail, subject: 'Second' }]);
    expect(data!.data).toHaveLength(2);
    expect((await resend.emails.get(data!.data[1]!.id)).data?.subject).toBe('Second');
  });

  test('by the names other versions of the client used → the same', async () => {
    expect((await resend.batch.create([mail, mail])).data!.data).toHaveLength(2);
    const { data } = await resend.emails.create(mail);
    expect((await resend.emails.get(data!.id)).data?.subject).toBe(mail.subject);
  });

  test('strict and one wrong → none, and the place is named', async () => {
    const before = await count();
    const { error } = await resend.batch.send(three);
    expect(error).toMatchObject({ name: 'validation_error', statusCode: 422 });
    expect(await count()).toBe(before);
  });

  test('permissive and one wrong → the others, once per key, and the same answer again', async () => {
    const before = await count();
    const options = { batchValidation: 'permissive', idempotencyKey: 'batch-1' } as const;
    const first = await resend.batch.send([...three, { ...mail, subject: undefined } as never], options);
    expect(first.data?.data).toHaveLength(2);
    expect(first.data?.errors).toEqual([
      { index: 1, message: expect.stringContaining('to') },
      { index: 3, message: expect.stringContaining('subject') },
    ]);
    const again = await resend.batch.send([...three, { ...mail, subject: undefined } as never], options);
    expect(again.data).toEqual(first.data);
    expect(await count()).toBe(before + 2);
    expect((await resend.batch.send(three, { idempotencyKey: 'batch-1' })).error?.name).toBe(
      'invalid_idempotent_request',
    );
  });

  test('a key for a strict batch → the same ids again', async () => {
    const options = { idempotencyKey: 'batch-2' };
    const first = await resend.batch.send([mail, mail], options);
    expect((await resend.batch.send([mail, mail], options)).data).toEqual(first.data);
  });

  test('101 or none → validation_error', async () => {
    for (const emails of [[], Array.from({ length: 101 }, () => mail)])
      expect((await resend.batch.send(emails)).error).toMatchObject({
        name: 'validation_error',
        statusCode: 422,
      });
  });

  async function count(): Promise<number> {
    const { rows } = await door.pool.query('select count(*)::int as n from postrider.emails');
    return rows[0].n;
  }
});

describe('lists', () => {
  test('pages after and before → newest first, without gaps, of this company alone', async () => {
    const theirs = client((await door.postrider.access.keys.create({ companyId: 'other', name: 'k' })).token);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1)
      ids.unshift((await theirs.emails.send({ ...mail, subject: `${n}` })).data!.id);
    const all = await theirs.emails.list();
    expect(all.data).toMatchObject({ object: 'list', has_more: false });
    expect(all.data!.data.map(({ id }) => id)).toEqual(ids);
    const first = (await theirs.emails.list({ limit: 2 })).data!;
    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([ids.slice(0, 2), true]);
    const next = (await theirs.emails.list({ limit: 3, after: ids[1]! })).data!;
    expect([next.data.map(({ id }) => id), next.has_more]).toEqual([ids.slice(2), false]);
    const back = (await theirs.emails.list({ limit: 2, before: ids[4]! })).data!;
    expect([back.data.map(({ id }) => id), back.has_more]).toEqual([ids.slice(2, 4), true]);
    expect((await theirs.emails.list({ limit: 101 })).error).toMatchObject({ name: 'invalid_parameter' });
    expect((await resend.emails.get(ids[0]!)).error).toMatchObject({ name: 'not_found', statusCode: 404 });
  });

  test('sent by the worker → last_event sent, with the provider’s id', async () => {
    const id = await sent(mail);
    await door.postrider.start();
    await expect.poll(async () => (await resend.emails.get(id)).data?.last_event).toBe('sent');
    expect((await resend.emails.get(id)).data?.message_id).toEqual(expect.any(String));
  });
});

describe('looking from outside', () => {
  test('an email is shared → anybody with the link sees it, nothing in it can run; without the link nobody', async () => {
    const id = await sent({ ...mail, html: '<p>Hi from afar</p>' });
    const { data, error } = await resend.emails.share(id, { expiresIn: '1h' });
    expect(error).toBeNull();
    expect(data).toEqual({ object: 'email', id, url: expect.stringMatching(/\/resend\/shared\/[\w.-]+$/) });
    const page = await fetch(data!.url);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('html')]);
    expect(page.headers.get('content-security-policy')).toMatch(/^sandbox .*default-src 'none'/);
    expect(await page.text()).toContain('Hi from afar');
    expect((await fetch(`${data!.url.slice(0, -2)}xx`)).status).toBe(404);
    expect((await resend.emails.share(id)).error).toBeNull();
    expect((await resend.emails.share(id, { expiresIn: '90 minutes' })).error).toBeNull();
    // What begins like a unit is none: a month must not be a minute.
    for (const expiresIn of ['8d', '0h', 'soon', '1month', '5 mice'])
      expect((await resend.emails.share(id, { expiresIn })).error?.name, expiresIn).toBe('validation_error');
    const { token: foreign } = await door.postrider.access.keys.create({ companyId: 'other', name: 'x' });
    expect((await client(foreign).emails.share(id)).error?.name).toBe('not_found');
  });

  test('a company is disabled → its share and file links lead to nothing, others do; enabled again → they do too', async () => {
    const { tenants, keys } = door.postrider.access;
    await tenants.create({ companyId: 'leaving' });
    const leaving = client((await keys.create({ companyId: 'leaving', name: 'x' })).token);
    const linksOf = async (from: Resend) => {
      const attachments = [{ filename: 'a.txt', content: Buffer.from('file') }];
      const { data } = await from.emails.send({ ...mail, html: '<p>Hi</p>', attachments });
      const share = await from.emails.share(data!.id);
      const files = await from.emails.attachments.list({ emailId: data!.id });
      return [share.data!.url, files.data!.data[0]!.download_url];
    };
    const statuses = (urls: string[]) => Promise.all(urls.map(async (url) => (await fetch(url)).status));
    const own = await linksOf(leaving);
    const others = await linksOf(resend);
    expect(await statuses([...own, ...others])).toEqual([200, 200, 200, 200]);
    await tenants.change('leaving', { disabled: true });
    expect(await statuses([...own, ...others])).toEqual([404, 404, 200, 200]);
    await tenants.change('leaving', { disabled: false });
    expect(await statuses(own)).toEqual([200, 200]);
  });

  test('a large picture in a shared email, while a stranger does not take it → the next stranger is asked to come again, and what shows no file is not', async () => {
    const bytes = 9 * 1024 ** 2;
    const picture = Buffer.alloc(bytes, 7);
    const { emailId: id } = await door.postrider.send({
      ...{ companyId: 'acme', from: mail.from, to: mail.to, subject: mail.subject },
      html: '<img src="cid:pic">',
      attachments: [
        {
          filename: 'a.png',
          content: picture.toString('base64'),
          contentType: 'image/png',
          contentId: 'pic',
        },
        { filename: 'report.pdf', content: 'JVBERi0=', contentType: 'application/pdf' },
      ],
    });
    const { data } = await resend.emails.share(id);
    const { hostname, port, pathname } = new URL(data!.url);
    const idle = createConnection({ host: hostname, port: Number(port) });
    idle.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    // Whoever comes first has the place; from here on nothing more is read.
    await once(idle, 'readable');
    expect(String(idle.read(12))).toBe('HTTP/1.1 200');
    const read = async (url: string) => {
      const answer = await fetch(url);
      const body = Buffer.from(await answer.arrayBuffer());
      return { status: answer.status, retryAfter: answer.headers.get('retry-after'), body };
    };
    const statusOf = async (url: string) => (await read(url)).status;
    await expect.poll(() => read(data!.url)).toMatchObject({ status: 503, retryAfter: '1' });
    const { data: files } = await resend.emails.attachments.list({ emailId: id });
    expect(files!.data.map(({ size }) => size)).toEqual([bytes, 5]);
    const [large, small] = files!.data.map(({ download_url }) => download_url);
    expect([await statusOf(large!), await statusOf(small!)]).toEqual([503, 200]);
    expect((await resend.emails.get(id)).data?.html).toBe('<img src="cid:pic">');
    idle.destroy();
    await expect.poll(() => statusOf(data!.url)).toBe(200);
    const page = (await read(data!.url)).body.toString();
    expect(page).toContain(`<img src="data:image/png;base64,${picture.toString('base64')}">`);
    expect(page).not.toContain('JVBERi0');
    expect((await read(large!)).body.equals(picture)).toBe(true);
  });

  test('every answer → says how many requests are left; usage → what there is and what it is held to', async () => {
    await door.postrider.quotas.set({ companyId: 'acme', period: 'month', limit: 5000 });
    const { data, headers } = await resend.usage.get();
    expect(headers).toMatchObject({
      ...{ 'ratelimit-limit': '1000', 'ratelimit-policy': '1000;w=1', 'ratelimit-reset': '1' },
      'ratelimit-remaining': expect.stringMatching(/^\d+$/),
    });
    expect(data).toMatchObject({
      object: 'usage',
      emails: {
        daily: { used: expect.any(Number), limit: null, received: 0 },
        monthly: { limit: 5000, resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/) },
      },
      ...{ contacts: { used: 0 }, broadcasts: { limit: null }, rate_limit: { limit: 1000, duration: '1s' } },
    });
    // Until both are of one month, whenever this runs.
    const counted = async () => {
      await sent(mail);
      return (await resend.usage.get()).data!.emails.monthly.used > 0;
    };
    await waitFor(counted, { timeoutMs: 20_000, what: 'the email to be counted' });
  });

  test('what is beyond → 404 not_found, by name', async () => {
    expect((await resend.logs.list()).error).toMatchObject({ name: 'not_found', statusCode: 404 });
  });
});
