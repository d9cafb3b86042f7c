import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Resend } from 'resend';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fetchPublicFile } from '../../src/fetch-public-file.js';
import { type Door, openDoor } from './ground/open-door.js';

/** What became of emails, told and counted, with the official client; and files it names instead of sending. */
let door: Door;
let resend: Resend;
let server: Server;
let base: string;
const got: Array<{ headers: IncomingHttpHeaders; raw: string }> = [];
const file = Buffer.from('a file behind a URL');
const mail = { from: 'Acme <hi@acme.test>', to: 'ann@example.net', subject: 'Hello', html: '<p>Hi</p>' };

beforeAll(async () => {
  door = await openDoor({
    config: {
      webhooks: { allowPrivate: true },
      access: { secretKeys: `k1:${Buffer.alloc(32, 7).toString('base64')}` },
    },
  });
  server = createServer((request, response) => {
    if (request.url === '/file.txt') return response.end(file);
    if (request.url === '/moved') return response.writeHead(302, { Location: '/file.txt' }).end();
    let raw = '';
    request.on('data', (chunk) => {
      raw += chunk;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, raw });
      response.end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await door.postrider.access.tenants.create({ companyId: 'acme' });
  const { token } = await door.postrider.access.keys.create({ companyId: 'acme', name: 'full' });
  resend = new Resend(token, { baseUrl: `${door.url}/resend` });
  await door.postrider.start();
});
afterAll(async () => {
  await door.close();
  await new Promise((resolve) => server.close(resolve));
});

test('an endpoint → told with a signature the client verifies, asked about, replayed, rotated, removed', async () => {
  const made = await resend.webhooks.create({
    endpoint: `${base}/hook`,
    events: ['email.sent', 'contact.created'],
  });
  expect(made.data).toEqual({
    object: 'webhook',
    id: expect.any(String),
    signing_secret: expect.stringMatching(/^whsec_/),
  });
  const { id, signing_secret: webhookSecret } = made.data!;
  const email = await resend.emails.send({ ...mail, tags: [{ name: 'k', value: 'v' }] });
  await expect.poll(() => got.length).toBe(1);
  const { headers, raw } = got[0]!;
  const told = resend.webhooks.verify({
    payload: raw,
    headers: {
      id: String(headers['svix-id']),
      timestamp: String(headers['svix-timestamp']),
      signature: String(headers['svix-signature']),
    },
    webhookSecret,
  });
  expect(told).toMatchObject({ type: 'email.sent', data: { email_id: email.data!.id, tags: { k: 'v' } } });
  expect((await resend.webhooks.get(id)).data).toMatchObject({
    object: 'webhook',
    status: 'enabled',
    events: ['email.sent'],
    signing_secret: webhookSecret,
  });
  expect((await resend.webhooks.list()).data?.data.map((one) => one.id)).toEqual([id]);
  await expect
    .poll(async () => (await resend.webhooks.events.list({ webhookId: id })).data?.data[0]?.status)
    .toBe('success');
  const [event] = (await resend.webhooks.events.list({ webhookId: id, limit: 5 })).data!.data;
  expect((await resend.webhooks.events.get({ webhookId: id, eventId: event!.id })).data).toMatchObject({
    type: 'email.sent',
    payload: { type: 'email.sent' },
  });
  expect((await resend.webhooks.events.replay({ webhookId: id, eventId: event!.id })).data).toEqual({
    object: 'webhook_event',
    id: event!.id,
  });
  await expect.poll(() => got.length).toBe(2);
  const rotated = await resend.webhooks.rotateSigningSecret(id);
  expect(rotated.data?.signing_secret).not.toBe(webhookSecret);
  expect((await resend.webhooks.update(id, { status: 'disabled' })).data).toMatchObject({ id });
  expect((await resend.webhooks.get(id)).data?.status).toBe('disabled');
  expect((await resend.webhooks.remove(id)).data).toEqual({ object: 'webhook', id, deleted: true });
  expect((await resend.webhooks.get(id)).error).toMatchObject({ name: 'not_found', statusCode: 404 });
});

test('an endpoint, and POSTRIDER_SECRET_KEYS is not set → the answer names the setting, over Resend and over our own API', async () => {
  const unset = await openDoor();
  try {
    await unset.postrider.access.tenants.create({ companyId: 'acme' });
    const { token } = await unset.postrider.access.keys.create({ companyId: 'acme', name: 'full' });
    const client = new Resend(token, { baseUrl: `${unset.url}/resend` });
    const { error } = await client.webhooks.create({
      endpoint: 'https://hooks.example.net/a',
      events: ['email.sent'],
    });
    expect(error).toMatchObject({
      name: 'application_error',
      statusCode: 500,
      message: expect.stringMatching(/^Set POSTRIDER_SECRET_KEYS: .*`id:key`/),
    });
    expect(error!.message).not.toContain('config check');
    const answer = await unset.call('POST', '/v1/webhooks', {
      as: token,
      body: { url: 'https://hooks.example.net/a', events: ['email.sent'] },
    });
    expect(answer).toMatchObject({
      status: 500,
      body: { code: 'NOT_CONFIGURED', field: 'POSTRIDER_SECRET_KEYS', detail: error!.message },
    });
  } finally {
    await unset.close();
  }
});

test('an endpoint without events that happen, or none at all → refused', async () => {
  const endpoint = `${base}/hook`;
  expect((await resend.webhooks.create({ endpoint } as never)).error?.name).toBe('missing_required_field');
  for (const events of [['contact.created'], ['nonsense'], []])
    expect((await resend.webhooks.create({ endpoint, events: events as never })).error).toMatchObject({
      name: 'validation_error',
      statusCode: 422,
    });
});

test('metrics → what was sent, failed and suppressed, in all and by day', async () => {
  await resend.suppressions.add({ email: 'gone@example.net' });
  await resend.emails.send({ ...mail, to: 'gone@example.net' });
  await expect
    .poll(async () => (await resend.emails.metrics({ metrics: ['sent', 'suppressed'] })).data?.totals)
    .toEqual({ sent: 1, suppressed: 1 });
  const daily = await resend.emails.metrics({ dimensions: ['period'], timezone: 'Europe/Berlin' });
  expect(daily.data).toMatchObject({ object: 'metrics', granularity: 'daily', dimensions: ['period'] });
  expect(daily.data?.data?.reduce((sum, { sent = 0 }) => sum + sent, 0)).toBe(1);
  const byDomain = await resend.emails.metrics({ dimensions: ['domain'], metrics: ['sent', 'suppressed'] });
  expect(byDomain.data?.data).toEqual([
    { domain_name: mail.from.replace(/.*@|>$/g, ''), sent: 1, suppressed: 1 },
  ]);
  const one = (await resend.emails.list()).data!.data.find(({ to }) => to[0] === 'gone@example.net')!;
  const byEmail = await resend.emails.metrics({
    ...{ dimensions: ['email'], emailId: [one.id], metrics: ['sent', 'suppressed'] },
  });
  expect(byEmail.data?.data).toEqual([{ email_id: one.id, sent: 0, suppressed: 1 }]);
  for (const wrong of [
    { dimensions: ['email'] },
    { dimensions: ['weather'] },
    { domainId: ['00000000-0000-7000-8000-000000000000'] },
    { broadcastId: ['00000000-0000-7000-8000-000000000000'] },
    { emailId: [one.id], dimensions: ['broadcast'] },
    { emailId: ['x'] },
  ])
    expect((await resend.emails.metrics(wrong as never)).error?.statusCode).toBe(422);
  expect((await resend.emails.metrics({ metrics: ['nothing' as never] })).error?.name).toBe(
    'invalid_parameter',
  );
});

test('an attachment by path → fetched, without following where it was moved to', async () => {
  const sent = await resend.emails.send({ ...mail, attachments: [{ path: `${base}/file.txt` }] });
  expect(sent.error).toBeNull();
  const [listed] = (await resend.emails.attachments.list({ emailId: sent.data!.id })).data!.data;
  expect(listed).toMatchObject({ filename: 'file.txt', size: file.length });
  const moved = await resend.emails.send({ ...mail, attachments: [{ path: `${base}/moved` }] });
  expect(moved.error).toMatchObject({ name: 'invalid_attachment', statusCode: 422 });
});

test.each([
  ['http://example.com/a'],
  ['https://127.0.0.1/a'],
  ['https://[::1]/a'],
  ['https://169.254.169.254/latest/meta-data'],
  ['https://localhost/a'],
  ['file:///etc/passwd'],
  ['nonsense'],
])('a file at %s → never asked for', async (url) => {
  const fetchFile = fetchPublicFile({ allowPrivate: false, maxBytes: 1024 });
  await expect(fetchFile(url, 'path', { take: () => {}, withinMs: 1000 })).rejects.toMatchObject({
    code: 'INVALID_PAYLOAD',
    field: 'path',
  });
});
