import { Resend } from 'resend';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Door, openDoor } from './ground/open-door.js';

/** One email to a whole segment, with the official client and a scheduler that runs. */
let door: Door;
let resend: Resend;
let segmentId: string;
const people = ['ann', 'bob', 'cyd'];

beforeAll(async () => {
  door = await openDoor({
    config: { unsubscribe: { publicUrl: 'https://mail.example.com', keys: 'a key of more than sixteen' } },
  });
  await door.postrider.access.tenants.create({ companyId: 'acme' });
  const { token } = await door.postrider.access.keys.create({ companyId: 'acme', name: 'full' });
  resend = new Resend(token, { baseUrl: `${door.url}/resend` });
  segmentId = (await resend.segments.create({ name: 'All' })).data!.id;
  for (const name of people)
    await resend.contacts.create({
      email: `${name}@example.net`,
      ...(name !== 'bob' && { firstName: name === 'ann' ? 'Ann <b>' : 'Cyd' }),
      segments: [{ id: segmentId }],
    });
  await door.postrider.schedules.start();
});
afterAll(() => door.close());

const draft = () => ({
  name: 'News',
  segmentId,
  from: 'Acme <news@acme.test>',
  subject: 'Hi {{{FIRST_NAME|there}}}',
  html: '<p>Dear {{{FIRST_NAME|friend}}}, <a href="{{{RESEND_UNSUBSCRIBE_URL}}}">no more</a></p>',
  previewText: 'What is new',
});

async function sentOf(id: string) {
  const { rows } = await door.pool.query(
    `select e.to_address as to, e.subject, b.html, e.message -> 'headers' ->> 'List-Unsubscribe' as list
     from postrider.emails e join postrider.email_bodies b on b.email_id = e.id
     where e.metadata ->> 'broadcastId' = $1 order by 1`,
    [id],
  );
  return rows;
}

const isSent = (id: string) =>
  expect.poll(async () => (await resend.broadcasts.get(id)).data?.status).toBe('sent');

test('drafted, changed and sent → one email each, by name, with a link to unsubscribe, and then it is fixed', async () => {
  const id = (await resend.broadcasts.create(draft())).data!.id;
  expect((await resend.broadcasts.get(id)).data).toMatchObject({
    object: 'broadcast',
    status: 'draft',
    segment_id: segmentId,
    preview_text: 'What is new',
    sent_at: null,
  });
  expect((await resend.broadcasts.update(id, { name: 'Better news' })).data).toMatchObject({ id });
  expect((await resend.broadcasts.send(id)).data).toMatchObject({ id });
  await isSent(id);
  const emails = await sentOf(id);
  expect(emails.map(({ to, subject }) => [to, subject])).toEqual([
    ['ann@example.net', 'Hi Ann <b>'],
    ['bob@example.net', 'Hi there'],
    ['cyd@example.net', 'Hi Cyd'],
  ]);
  expect(emails[0].html).toContain('Dear Ann &lt;b&gt;,');
  expect(emails[0].html).toContain('What is new');
  expect(emails[0].html).toMatch(/href="https:\/\/mail\.example\.com\/u\/[\w-]+"/);
  expect(emails[0].list).toContain('https://mail.example.com/u/');
  expect((await resend.broadcasts.send(id)).error).toMatchObject({
    name: 'validation_error',
    statusCode: 422,
  });
  expect((await resend.broadcasts.update(id, { name: 'x' })).error?.name).toBe('validation_error');
  expect((await resend.broadcasts.remove(id)).error?.name).toBe('validation_error');
  const copy = (await resend.broadcasts.duplicate(id)).data!;
  expect((await resend.broadcasts.get(copy.id)).data).toMatchObject({
    name: 'Better news (Copy)',
    status: 'draft',
  });
  expect((await resend.broadcasts.remove(copy.id)).data).toMatchObject({ deleted: true });
  expect((await resend.broadcasts.list()).data?.data.map((one) => one.id)).toEqual([id]);
});

test('unsubscribed by the link in it, or out of the topic → passed over', async () => {
  const [first] = await sentOf((await resend.broadcasts.list()).data!.data[0]!.id);
  const path = /https:\/\/mail\.example\.com(\/u\/[\w-]+)/.exec(first.html)![1]!;
  const clicked = await fetch(door.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(clicked.status).toBeLessThan(300);
  expect((await resend.contacts.get('ann@example.net')).data?.unsubscribed).toBe(true);
  const topic = (await resend.topics.create({ name: 'Deals', defaultSubscription: 'opt_out' })).data!;
  await resend.contacts.topics.update({
    email: 'cyd@example.net',
    topics: [{ id: topic.id, subscription: 'opt_in' }],
  });
  const made = await resend.broadcasts.create({ ...draft(), topicId: topic.id, send: true });
  expect(made.error).toBeNull();
  await isSent(made.data!.id);
  expect((await sentOf(made.data!.id)).map(({ to }) => to)).toEqual(['cyd@example.net']);
});

test('later → waits, can be taken back, and goes when its time has come', async () => {
  const id = (await resend.broadcasts.create(draft())).data!.id;
  await resend.broadcasts.send(id, { scheduledAt: 'in 1 hour' });
  expect((await resend.broadcasts.get(id)).data?.status).toBe('queued');
  expect((await resend.broadcasts.cancel(id)).data).toMatchObject({ object: 'broadcast', id });
  expect((await resend.broadcasts.get(id)).data).toMatchObject({ status: 'draft', scheduled_at: null });
  expect((await resend.broadcasts.cancel(id)).error?.name).toBe('validation_error');
  await resend.broadcasts.send(id, { scheduledAt: 'in 2 seconds' });
  await isSent(id);
  expect((await sentOf(id)).map(({ to }) => to)).toEqual(['bob@example.net', 'cyd@example.net']);
});

test('what lacks something, or names a segment of nobody → refused', async () => {
  const { segmentId: _, ...rest } = draft();
  const id = (await resend.broadcasts.create(rest as never)).data!.id;
  expect((await resend.broadcasts.send(id)).error).toMatchObject({
    name: 'missing_required_field',
    message: 'Missing `segment_id` field.',
  });
  const foreign = await resend.broadcasts.create({ ...draft(), segmentId: crypto.randomUUID() });
  expect(foreign.error?.name).toBe('not_found');
});

test('content of half a megabyte, and a person for whom it would be more → the others get theirs, once each', async () => {
  const segment = (await resend.segments.create({ name: 'Large' })).data!.id;
  for (let n = 0; n < 20; n++)
    await resend.contacts.create({
      email: `large${n}@example.net`,
      properties: { word: n === 7 ? 'x'.repeat(2000) : 'y' },
      segments: [{ id: segment }],
    } as never);
  const html = `<p>${'a'.repeat(500 * 1024)}</p>${'{{{WORD}}}'.repeat(100)}`;
  const id = (await resend.broadcasts.create({ ...draft(), segmentId: segment, html })).data!.id;
  await resend.broadcasts.send(id);
  await isSent(id);
  const emails = await sentOf(id);
  expect(emails.map(({ to }) => to)).toEqual(
    Array.from({ length: 20 }, (_, n) => `large${n}@example.net`)
      .filter((_, n) => n !== 7)
      .sort(),
  );
});

test('told by providers → whom it reached by what happened, the links they followed, and figures of its own', async () => {
  const segment = (await resend.segments.create({ name: 'Readers' })).data!.id;
  for (const name of ['dan', 'eve', 'fay'])
    await resend.contacts.create({ email: `${name}@example.net`, segments: [{ id: segment }] });
  const id = (await resend.broadcasts.create({ ...draft(), segmentId: segment })).data!.id;
  await resend.broadcasts.send(id);
  await isSent(id);
  const { rows } = await door.pool.query<{ id: string; to: string }>(
    `select id, to_address as to from postrider.emails where metadata ->> 'broadcastId' = $1`,
    [id],
  );
  const emailOf = (name: string) => rows.find(({ to }) => to === `${name}@example.net`)!.id;
  const note = (name: string, type: 'OPENED' | 'CLICKED' | 'BOUNCED', detail: object = {}) =>
    door.postrider.hooks.record({
      ...{ source: 'resend', id: `${name} ${type} ${JSON.stringify(detail)}`, type, at: new Date() },
      ...{ about: { emailId: emailOf(name) }, recipients: [], suppress: null, detail: { ...detail } },
    });
  const click = (name: string, link: string, n: number) =>
    note(name, 'CLICKED', { click: { link, timestamp: String(n) } });
  await note('dan', 'OPENED');
  for (const n of [1, 2]) await click('dan', 'https://acme.test/a', n);
  await click('dan', 'https://acme.test/b', 3);
  await click('fay', 'https://acme.test/a', 4);
  await note('eve', 'BOUNCED', { bounce: { type: 'Permanent' } });

  const who = async (type: string, more: object = {}) =>
    (await resend.broadcasts.recipients(id, { type, ...more } as never)).data!.data as unknown as object[];
  expect(await who('opened')).toMatchObject([{ id: emailOf('dan'), email: 'dan@example.net', count: 1 }]);
  expect(await who('clicked', { email: 'dan@example.net' })).toEqual([
    {
      ...{ id: emailOf('dan'), contact_id: expect.any(String), email: 'dan@example.net', count: 3 },
      clicked_links: [
        { url: 'https://acme.test/a', clicks: 2 },
        { url: 'https://acme.test/b', clicks: 1 },
      ],
    },
  ]);
  expect(await who('bounced', { bounceType: 'permanent' })).toMatchObject([
    { email: 'eve@example.net', bounce_type: 'permanent' },
  ]);
  expect(await who('bounced', { bounceType: 'transient' })).toEqual([]);
  expect(await who('complained')).toEqual([]);
  const all = (await resend.broadcasts.recipients(id, { type: 'clicked', limit: 1 })).data!;
  expect(all).toMatchObject({ object: 'list', has_more: true });
  const next = await who('clicked', { limit: 1, after: all.data[0]!.id });
  expect([all.data[0]!.email, (next[0] as { email: string }).email].sort()).toEqual([
    'dan@example.net',
    'fay@example.net',
  ]);
  expect(await who('clicked', { before: (next[0] as { id: string }).id })).toEqual(all.data);

  const links = (await resend.broadcasts.clickedLinks(id)).data!;
  expect(links.data.map(({ url, clicks, unique_clicks }) => [url, clicks, unique_clicks])).toEqual([
    ['https://acme.test/a', 3, 2],
    ['https://acme.test/b', 1, 1],
  ]);
  const first = (await resend.broadcasts.clickedLinks(id, { limit: 1 })).data!;
  expect(first).toMatchObject({ has_more: true, data: [links.data[0]] });
  const second = (await resend.broadcasts.clickedLinks(id, { limit: 1, after: first.data[0]!.id })).data!;
  expect(second).toMatchObject({ has_more: false, data: [links.data[1]] });

  const metrics: Array<'clicked' | 'unique_clicked'> = ['clicked', 'unique_clicked'];
  const counted = await resend.emails.metrics({ dimensions: ['broadcast'], broadcastId: [id], metrics });
  expect(counted.data).toMatchObject({
    totals: { clicked: 4, unique_clicked: 2 },
    data: [{ broadcast_id: id, broadcast_name: 'News', clicked: 4, unique_clicked: 2 }],
  });

  expect((await resend.broadcasts.recipients(id, {} as never)).error?.statusCode).toBe(422);
  const mixed = { type: 'opened', bounceType: 'permanent' } as never;
  expect((await resend.broadcasts.recipients(id, mixed)).error?.statusCode).toBe(422);
  const nobody = '00000000-0000-7000-8000-000000000000';
  expect((await resend.broadcasts.recipients(nobody, { type: 'sent' })).error?.name).toBe('not_found');
  expect((await resend.broadcasts.clickedLinks(nobody)).error?.name).toBe('not_found');
});

test('a property nobody knows → the alternative in the placeholder, else the fallback of the property', async () => {
  await resend.contactProperties.create({ key: 'team', type: 'string', fallbackValue: 'the <team>' });
  await resend.contacts.update({ email: 'cyd@example.net', properties: { team: 'Blue' } });
  const text = { ...draft(), html: '<p>{{{TEAM}}}, {{{contact.team|all}}}</p>', send: true as const };
  const id = (await resend.broadcasts.create(text)).data!.id;
  await isSent(id);
  const said = (await sentOf(id)).map(({ to, html }) => [to, /<p>(.*?)<\/p>/.exec(html)?.[1]]);
  expect(said).toEqual([
    ['bob@example.net', 'the &lt;team&gt;, all'],
    ['cyd@example.net', 'Blue, Blue'],
  ]);
});

test('behind a proxy with POSTRIDER_PUBLIC_URL → links to attachments name the address outside', async () => {
  const { data } = await resend.emails.send({
    ...{ from: 'Acme <news@acme.test>', to: 'ann@example.net', subject: 'Bill', text: 'See the file.' },
    attachments: [{ filename: 'bill.txt', content: Buffer.from('1 crown') }],
  });
  const files = await resend.emails.attachments.list({ emailId: data!.id });
  const link = new URL(files.data!.data[0]!.download_url);
  expect(link.origin).toBe('https://mail.example.com');
  expect(await (await fetch(`${door.url}${link.pathname}`)).text()).toBe('1 crown');
});
