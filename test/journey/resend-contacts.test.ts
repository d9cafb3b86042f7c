import { Resend } from 'resend';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Door, openDoor } from './ground/open-door.js';

/** People, groups and what they want to hear about, with the official client. */
let door: Door;
let resend: Resend;
const mail = { from: 'Acme <hi@acme.test>', subject: 'Hello', html: '<p>Hi</p>' };

beforeAll(async () => {
  door = await openDoor();
  await door.postrider.access.tenants.create({ companyId: 'acme' });
  const { token } = await door.postrider.access.keys.create({ companyId: 'acme', name: 'full' });
  resend = new Resend(token, { baseUrl: `${door.url}/resend` });
});
afterAll(() => door.close());

test('a contact → made, found by id and address, changed, removed', async () => {
  const made = await resend.contacts.create({
    email: 'steve+work@example.com',
    firstName: 'Steve',
    lastName: 'Wozniak',
    properties: { city: 'Cupertino', visits: 3 },
  });
  expect(made.data).toEqual({ object: 'contact', id: expect.any(String) });
  const id = made.data!.id;
  for (const who of [{ id }, { email: 'steve+work@example.com' }])
    expect((await resend.contacts.get(who)).data).toMatchObject({
      object: 'contact',
      id,
      email: 'steve+work@example.com',
      first_name: 'Steve',
      last_name: 'Wozniak',
      unsubscribed: false,
      properties: { city: { type: 'string', value: 'Cupertino' }, visits: { type: 'number', value: 3 } },
    });
  expect(
    await door.postrider.recipients.get({ email: 'steve+work@example.com' }, { companyId: 'acme' }),
  ).toMatchObject({
    recipientId: id,
    name: 'Steve Wozniak',
  });
  const changed = await resend.contacts.update({
    id,
    firstName: 'Stephen',
    properties: { visits: null } as never,
  });
  expect(changed.data).toEqual({ object: 'contact', id });
  expect((await resend.contacts.get(id)).data).toMatchObject({
    first_name: 'Stephen',
    last_name: 'Wozniak',
    properties: { city: { type: 'string', value: 'Cupertino' } },
  });
  const again = await resend.contacts.create({ email: 'Steve+Work@example.com', lastName: 'W' });
  expect(again.data?.id).toBe(id);
  expect((await resend.contacts.remove({ email: 'steve+work@example.com' })).data).toEqual({
    object: 'contact',
    contact: 'steve+work@example.com',
    deleted: true,
  });
  expect((await resend.contacts.get(id)).error).toMatchObject({
    name: 'not_found',
    statusCode: 404,
    message: 'Contact not found',
  });
  expect((await resend.contacts.create({} as never)).error).toMatchObject({
    name: 'missing_required_field',
    message: 'Missing `email` field.',
  });
});

test('a contact that is unsubscribed → still gets what it asked for, and can come back', async () => {
  const { id } = (await resend.contacts.create({ email: 'u@example.com', unsubscribed: true })).data!;
  expect((await resend.contacts.get(id)).data?.unsubscribed).toBe(true);
  const receipt = await resend.emails.send({ ...mail, to: 'u@example.com' });
  expect((await resend.emails.get(receipt.data!.id)).data?.last_event).toBe('queued');
  await resend.contacts.update({ id, unsubscribed: false });
  expect((await resend.contacts.get(id)).data?.unsubscribed).toBe(false);
  await door.postrider.suppressions.add([{ email: 'u@example.com', reason: 'unsubscribe' }], {
    companyId: 'acme',
  });
  expect((await resend.contacts.get(id)).data?.unsubscribed).toBe(true);
  await resend.contacts.update({ id, unsubscribed: false });
  expect((await resend.contacts.get(id)).data?.unsubscribed).toBe(false);
});

test('segments → made, renamed, joined, left; their contacts in pages; removing one twice is no error', async () => {
  const made = await resend.segments.create({ name: 'Beta' });
  expect(made.data).toEqual({ object: 'segment', id: expect.any(String), name: 'Beta' });
  const segmentId = made.data!.id;
  await resend.segments.update(segmentId, { name: 'Gamma' });
  expect((await resend.segments.get(segmentId)).data).toMatchObject({ object: 'segment', name: 'Gamma' });
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { data } = await resend.contacts.create({
      email: `${name}@example.org`,
      segments: [{ id: segmentId }],
    });
    ids.unshift(data!.id);
  }
  const all = (await resend.contacts.list({ segmentId })).data!;
  expect([all.data.map(({ id }) => id), all.has_more]).toEqual([ids, false]);
  const page = (await resend.contacts.list({ segmentId, limit: 1, after: ids[0]! })).data!;
  expect([page.data.map(({ id }) => id), page.has_more]).toEqual([[ids[1]], true]);
  const email = 'a@example.org';
  expect((await resend.contacts.segments.list({ email })).data?.data.map(({ name }) => name)).toEqual([
    'Gamma',
  ]);
  expect((await resend.contacts.segments.remove({ email, segmentId })).data).toMatchObject({ deleted: true });
  expect((await resend.contacts.list({ segmentId })).data?.data).toHaveLength(2);
  expect((await resend.contacts.segments.add({ email, segmentId })).data).toEqual({ id: segmentId });
  expect((await resend.contacts.list({ audienceId: segmentId })).data?.data).toHaveLength(3);
  const legacy = await resend.contacts.create({ email: 'old@example.org', audienceId: segmentId });
  expect((await resend.contacts.get({ audienceId: segmentId, id: legacy.data!.id })).data?.email).toBe(
    'old@example.org',
  );
  expect(
    (await resend.contacts.create({ email: 'x@example.org', segments: [{ id: ids[0]! }] })).error?.name,
  ).toBe('not_found');
  expect((await resend.contacts.get('x@example.org')).error?.name).toBe('not_found');
  expect((await resend.audiences.list()).data?.data.map(({ name }) => name)).toEqual(['Gamma']);
  for (let times = 0; times < 2; times += 1)
    expect((await resend.segments.remove(segmentId)).data).toEqual({
      object: 'segment',
      id: segmentId,
      deleted: true,
    });
  expect((await resend.contacts.get('b@example.org')).error).toBeNull();
});

test('topics → an email about one reaches those who have not refused it', async () => {
  const created = await resend.topics.create({
    name: 'Product Updates',
    description: 'What is new',
    defaultSubscription: 'opt_in',
  });
  const id = created.data!.id;
  expect((await resend.topics.get(id)).data).toMatchObject({
    name: 'Product Updates',
    default_subscription: 'opt_in',
  });
  await resend.topics.update({ id, name: 'Product News' });
  expect((await resend.topics.list()).data?.data.map(({ name }) => name)).toEqual(['Product News']);
  const email = 't@example.com';
  await resend.contacts.create({ email });
  const event = async () => {
    const { data } = await resend.emails.send({ ...mail, to: email, topicId: id });
    return (await resend.emails.get(data!.id)).data?.last_event;
  };
  expect((await resend.contacts.topics.list({ email })).data?.data).toEqual([
    { id, name: 'Product News', description: 'What is new', subscription: 'opt_in' },
  ]);
  expect(await event()).toBe('queued');
  await resend.contacts.topics.update({ email, topics: [{ id, subscription: 'opt_out' }] });
  expect((await resend.contacts.topics.list({ email })).data?.data[0]?.subscription).toBe('opt_out');
  expect(await event()).toBe('suppressed');
  await resend.contacts.topics.update({ email, topics: [{ id, subscription: 'opt_in' }] });
  expect(await event()).toBe('queued');
  expect((await resend.emails.send({ ...mail, to: email, topicId: crypto.randomUUID() })).error?.name).toBe(
    'not_found',
  );
  expect((await resend.topics.remove(id)).data).toMatchObject({ deleted: true });
  expect((await resend.topics.get(id)).error?.name).toBe('not_found');
});

test('contact properties → every method of the client, refused where kind or name do not fit', async () => {
  const created = await resend.contactProperties.create({
    key: 'company_name',
    type: 'string',
    fallbackValue: 'your company',
  });
  const id = created.data!.id;
  expect((await resend.contactProperties.get(id)).data).toMatchObject({
    object: 'contact_property',
    key: 'company_name',
    type: 'string',
    fallbackValue: 'your company',
  });
  const number = await resend.contactProperties.create({ key: 'seats', type: 'number', fallbackValue: 3 });
  expect((await resend.contactProperties.get(number.data!.id)).data?.fallbackValue).toBe(3);
  expect((await resend.contactProperties.update({ id, fallbackValue: 'you' })).data).toEqual({
    object: 'contact_property',
    id,
  });
  expect((await resend.contactProperties.list()).data?.data.map(({ key }) => key)).toEqual([
    'seats',
    'company_name',
  ]);
  const refused = [
    resend.contactProperties.create({ key: 'Company_Name', type: 'string' }),
    resend.contactProperties.create({ key: 'not a key', type: 'string' }),
    resend.contactProperties.create({ key: 'age', type: 'number', fallbackValue: 'old' } as never),
  ];
  for (const { error } of await Promise.all(refused)) expect(error?.statusCode).toBe(422);
  expect((await resend.contactProperties.remove(id)).data).toMatchObject({ deleted: true });
  expect((await resend.contactProperties.get(id)).error?.name).toBe('not_found');
});

test('audiences → segments under their older name', async () => {
  const id = (await resend.audiences.create({ name: 'Older' })).data!.id;
  expect((await resend.audiences.get(id)).data).toMatchObject({ id, name: 'Older' });
  expect((await resend.segments.get(id)).data?.name).toBe('Older');
  expect((await resend.audiences.remove(id)).data).toMatchObject({ deleted: true });
  expect((await resend.audiences.get(id)).error?.name).toBe('not_found');
});
