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
  expect.poll(async () => (await resend.broadcasts.get(id)).data?.status, { timeout: 20_000 }).toBe('sent');

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
