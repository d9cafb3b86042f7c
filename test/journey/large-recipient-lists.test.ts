import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { type SmtpDoor, startSmtpDoor } from '../../src/doors/smtp/index.js';
import { type RawClient, rawClient } from '../../src/doors/smtp/raw-client.fixture.js';
import { postriderTransport } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { composeMessage } from '../../src/providers/index.js';
import { smtpRooms } from '../../src/smtp-rooms.js';
import { describeWith } from '../services/index.js';
import { type Door, openDoor, ROOT } from './ground/open-door.js';

/** Messages to more people than an email has, by the programs that send them. */
let door: Door;
let submission: SmtpDoor;
let token: string;

beforeAll(async () => {
  door = await openDoor();
  await door.postrider.access.tenants.create({ companyId: 'acme', fromDomains: ['acme.example'] });
  token = (await door.postrider.access.keys.create({ companyId: 'acme', name: 'app' })).token;
  submission = await startSmtpDoor({
    ...smtpRooms(door.postrider),
    settings: loadConfig({ overrides: { submission: { port: 0 } } }).submission,
    clock: systemClock,
    logger: silentLogger,
  });
  await door.postrider.start();
});
afterAll(async () => {
  await submission?.stop({ deadlineMs: 1000 });
  await door?.close();
});

const people = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}-${n}@example.net`);

interface Row {
  id: string;
  to_address: string;
  message: { to: Named[]; cc?: Named[]; bcc?: Named[]; headerRecipients?: { to: Named[]; cc: Named[] } };
}

interface Named {
  address: string;
}

async function rowsOf(subject: string): Promise<Row[]> {
  const { rows } = await door.pool.query<Row>(
    'select id, to_address, message from postrider.emails where subject = $1 order by id',
    [subject],
  );
  return rows;
}

/** Waits for the emails of this subject, and gives what each provider call got. */
async function delivered(subject: string) {
  const rows = await rowsOf(subject);
  await expect
    .poll(async () => {
      const logs = await Promise.all(rows.map(({ id }) => door.postrider.get(id)));
      return logs.map((log) => log?.status);
    })
    .toEqual(rows.map(() => 'sent'));
  return rows.map(({ id }) => door.provider.callsFor(id).at(-1)!.email);
}

const addresses = (list: readonly Named[]) => list.map(({ address }) => address);
const idOf = (reply: string) => /Accepted as (\S+)/.exec(reply)![1]!;

async function signedIn(): Promise<RawClient> {
  const client = await rawClient(submission.port);
  await client.signIn(token);
  return client;
}

const message = (subject: string, to: readonly string[], head: readonly string[] = []) =>
  [
    ...['From: app@acme.example', `Subject: ${subject}`, `To: ${to.join(',\r\n ')}`],
    ...[...head, '', 'Hello'],
  ].join('\r\n');

/** Sends one message by smtplib to everyone, and a second time to those who were refused; prints who was. */
const PYTHON = `
import json, smtplib, sys
from email.message import EmailMessage
from email.policy import SMTP
port, token, subject, to, cc, bcc = json.loads(sys.argv[1])
m = EmailMessage(policy=SMTP)
m['From'] = 'app@acme.example'
m['To'] = ', '.join(to)
if cc: m['Cc'] = ', '.join(cc)
m['Subject'] = subject
m['Message-ID'] = '<' + subject + '@acme.example>'
m.set_content('Hello')
with smtplib.SMTP('127.0.0.1', port) as s:
    s.ehlo()
    limits = s.esmtp_features.get('limits')
    s.login('postrider', token)
    first = s.sendmail('app@acme.example', to + cc + bcc, m.as_bytes())
    second = s.sendmail('app@acme.example', list(first), m.as_bytes()) if first else {}
    print(json.dumps({'limits': limits, 'first': {a: r[0] for a, r in first.items()}, 'second': second}))
`;

async function python(subject: string, to: string[], cc: string[] = [], bcc: string[] = []) {
  const { stdout } = await promisify(execFile)(inject('pythonUrl')!, [
    '-c',
    PYTHON,
    JSON.stringify([submission.port, token, subject, to, cc, bcc]),
  ]);
  return JSON.parse(stdout) as { limits: string; first: Record<string, number>; second: object };
}

describeWith('python')("Python's smtplib", () => {
  test('61 people in To → all of them are reached, each seeing all in To', async () => {
    const to = people('sixty', 61);
    expect(await python('py-61', to)).toEqual({ limits: 'RCPTMAX=100', first: {}, second: {} });
    const emails = await delivered('py-61');
    expect(emails.map(({ recipients }) => recipients)).toEqual([to.slice(0, 50), to.slice(50)]);
    for (const email of emails) expect(addresses(email.to)).toEqual(to);
  });

  test('100 people in To, Cc and Bcc → all of them, whole To and Cc, and none of Bcc in any copy', async () => {
    const [to, cc, bcc] = [people('to', 30), people('cc', 10), people('bcc', 60)];
    expect(await python('py-100', to, cc, bcc)).toMatchObject({ first: {} });
    const emails = await delivered('py-100');
    expect(emails.flatMap(({ recipients }) => recipients)).toEqual([...to, ...cc, ...bcc]);
    for (const email of emails) {
      expect([addresses(email.to), addresses(email.cc)]).toEqual([to, cc]);
      const wire = String(await composeMessage(email));
      expect(wire).toContain('cc-9@example.net');
      expect(wire).not.toMatch(/bcc-\d/);
    }
  });

  test('103 people → 452 for three, who are reached by the second transaction that RFC 5321 asks for', async () => {
    const to = people('many', 103);
    const { first, second } = await python('py-103', to);
    expect(first).toEqual(Object.fromEntries(to.slice(100).map((address) => [address, 452])));
    expect(second).toEqual({});
    const emails = await delivered('py-103');
    expect(emails.map(({ recipients }) => recipients.length)).toEqual([50, 50, 3]);
    expect(emails.flatMap(({ recipients }) => recipients)).toEqual(to);
    for (const email of emails) expect(addresses(email.to)).toEqual(to);
  });
});

describe('nodemailer', () => {
  const transport = () =>
    nodemailer.createTransport({
      ...{ host: '127.0.0.1', port: submission.port, ignoreTLS: true },
      auth: { user: 'postrider', pass: token },
    });

  test.each([61, 100])('%d people → all accepted and reached', async (count) => {
    const to = people('mailer', count);
    const subject = `mailer-${count}`;
    const info = await transport().sendMail({ from: 'app@acme.example', to, subject, text: 'Hello' });
    expect(info.accepted).toEqual(to);
    const [{ id } = { id: '' }] = await rowsOf(subject);
    expect(info.response).toBe(`250 2.0.0 Accepted as ${id} and 1 more`);
    const emails = await delivered(subject);
    expect(emails.flatMap(({ recipients }) => recipients)).toEqual(to);
  });

  test('103 people → the three are named as rejected and in the reply, and taken the second time', async () => {
    const to = people('extra', 103);
    const mail = { from: 'app@acme.example', to, subject: 'mailer-103', text: 'Hello' };
    const info = await transport().sendMail(mail);
    expect(info.rejected).toEqual(to.slice(100));
    expect(info.response).toMatch(/ and 1 more \(3 of 103 recipients were refused\)$/);
    const again = await transport().sendMail({
      ...mail,
      envelope: { from: 'app@acme.example', to: info.rejected },
    });
    expect(again.rejected).toEqual([]);
    const emails = await delivered('mailer-103');
    expect(emails.flatMap(({ recipients }) => recipients)).toEqual(to);
  });

  test('postriderTransport, 61 people → in one transaction, all or none', async () => {
    const to = people('library', 61);
    const transporter = nodemailer.createTransport(postriderTransport(door.postrider));
    const client = await door.pool.connect();
    const mail = (subject: string) => ({
      ...{ from: 'app@acme.example', to, cc: 'copy@example.net', subject, text: 'Hello' },
      postrider: { tx: client },
    });
    await client.query('begin');
    const lost = await transporter.sendMail(mail('transport-rolled-back'));
    await client.query('rollback');
    expect(lost.emailIds).toHaveLength(2);
    expect(await rowsOf('transport-rolled-back')).toEqual([]);
    await client.query('begin');
    const info = await transporter.sendMail(mail('transport-61'));
    await client.query('commit');
    client.release();
    expect(info).toMatchObject({ accepted: [...to, 'copy@example.net'], rejected: [] });
    const emails = await delivered('transport-61');
    expect(emails.map(({ recipients }) => recipients.length)).toEqual([50, 12]);
    for (const email of emails)
      expect([addresses(email.to), addresses(email.cc)]).toEqual([to, ['copy@example.net']]);
  });

  test('postriderTransport, 1001 people → an error that names the limit, and nothing accepted', async () => {
    const transporter = nodemailer.createTransport(postriderTransport(door.postrider));
    const envelope = { from: 'app@acme.example', to: people('crowd', 1001) };
    await expect(
      transporter.sendMail({
        ...{ from: 'app@acme.example', to: 'list@example.net', subject: 'transport-1001' },
        ...{ text: 'Hello', envelope },
      }),
    ).rejects.toThrow('at most 1000');
    expect(await rowsOf('transport-1001')).toEqual([]);
  });
});

test('postriderTransport, 1,000 people and 7 MB → an error that names both, and nothing accepted', async () => {
  const transporter = nodemailer.createTransport(postriderTransport(door.postrider));
  await expect(
    transporter.sendMail({
      ...{ from: 'app@acme.example', to: people('heavy', 1000), subject: 'transport-heavy', text: 'Hello' },
      attachments: [{ filename: 'a.bin', content: Buffer.alloc(5 * 1024 ** 2) }],
    }),
  ).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: expect.stringMatching(/becomes 20 emails, which are larger than 134217728 bytes in all/),
  });
  expect(await rowsOf('transport-heavy')).toEqual([]);
});

describe('a type that counts users', () => {
  const whose = (userId: string) => ({ type: 'welcome', userId, companyId: 'acme' });
  const counted = (userId: string) => door.postrider.rateLimits.reset(whose(userId));

  test.each([
    ['61 people in To', (to: string[]) => to],
    ['61 blind copies of a message that names nobody', () => []],
  ])('%s, by SMTP with a user id → accepted once for that user, and not twice', async (name, named) => {
    const userId = `smtp-${named([]).length}-${name.length}`;
    const to = people(userId, 61);
    const head = ['X-Postrider-Type: welcome', `X-Postrider-User-Id: ${userId}`];
    const shown = named(to);
    const bytes = message(userId, shown, head).replace('To: \r\n', '');
    const client = await signedIn();
    expect(await client.submit(bytes, to)).toMatch(/^250 /);
    expect(await rowsOf(userId)).toHaveLength(shown.length > 0 ? 2 : 61);
    expect(await client.submit(`X-Other: yes\r\n${bytes}`, to)).toMatch(/^550 5\.7\.1 RATE_LIMITED/);
    client.close();
    expect(await door.postrider.rateLimits.check(whose(userId))).toMatchObject({ allowed: false, limit: 1 });
    expect(await counted(userId)).toBe(1);
  });

  test('61 people by postriderTransport → counted once; a batch of two emails → refused', async () => {
    const options = { type: 'welcome', userId: 'mailer', companyId: 'acme' };
    const transporter = nodemailer.createTransport(postriderTransport(door.postrider, options));
    const mail = { from: 'app@acme.example', subject: 'by-user', text: 'Hello' };
    const info = await transporter.sendMail({ ...mail, to: people('by-user', 61) });
    expect(info.emailIds).toHaveLength(2);
    expect(await counted('mailer')).toBe(1);
    const email = { ...mail, ...options, to: 'one@example.net' };
    await expect(door.postrider.sendBatch([email, email])).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await door.postrider.sendBatch([email, email], { oneMessage: true })).toHaveLength(2);
    expect(await counted('mailer')).toBe(1);
    await expect(
      door.postrider.sendBatch([email], { oneMessage: 'yes' as unknown as boolean }),
    ).rejects.toMatchObject({ code: 'INVALID_PAYLOAD', field: 'oneMessage' });
  });
});

describe('one message of several emails', () => {
  test('To names people who do not get it → accepted, To as it was, reaching the envelope alone', async () => {
    const client = await signedIn();
    const list = message('others', ['The List <list@lists.example>', 'two@example.net']);
    expect(await client.submit(list, ['one@example.net', 'two@example.net'])).toMatch(
      /^250 .*Accepted as \S+$/,
    );
    expect(await client.submit(message('strangers', ['list@lists.example']), people('blind', 3))).toMatch(
      /^250 .*Accepted as \S+$/,
    );
    client.close();
    const [email] = await delivered('others');
    expect(email!.recipients).toEqual(['two@example.net', 'one@example.net']);
    expect(email!.to).toEqual([
      { address: 'list@lists.example', name: 'The List' },
      { address: 'two@example.net' },
    ]);
    const [strangers] = await delivered('strangers');
    expect(strangers!.recipients).toEqual(people('blind', 3));
    const wire = String(await composeMessage(strangers!));
    expect(wire).toMatch(/^To: list@lists\.example\r$/m);
    expect(wire).not.toContain('blind-');
    const [row] = await rowsOf('strangers');
    expect([row!.to_address, row!.message.to]).toEqual(['blind-0@example.net', []]);
  });

  test('the same bytes again → the same ids; one named key for another To → refused', async () => {
    const to = people('again', 61);
    const client = await signedIn();
    const bytes = message('repeated', to, ['Message-ID: <repeated@acme.example>']);
    const first = await client.submit(bytes, to);
    expect(await client.submit(bytes, to)).toBe(first);
    const rows = await rowsOf('repeated');
    expect(rows).toHaveLength(2);
    expect(idOf(first)).toBe(rows[0]!.id);
    const keyed = (other: string) =>
      message('keyed', ['in@example.net', other], ['X-Postrider-Idempotency-Key: large-1']);
    expect(await client.submit(keyed('a@lists.example'), ['in@example.net'])).toMatch(/^250 /);
    expect(await client.submit(keyed('b@lists.example'), ['in@example.net'])).toMatch(/IDEMPOTENCY_CONFLICT/);
    client.close();
  });

  test('a quota with room for one of two emails → nothing is accepted; for two → both count', async ({
    onTestFinished,
  }) => {
    const { quotas } = door.postrider;
    onTestFinished(async () => {
      await quotas.remove({ companyId: 'acme', period: 'day' });
    });
    const used = async () => (await quotas.list({ companyId: 'acme' })).quotas[0]!.used;
    await quotas.set({ companyId: 'acme', period: 'day', limit: 100_000 });
    const before = await used();
    await quotas.set({ companyId: 'acme', period: 'day', limit: before + 1 });
    const client = await signedIn();
    const to = people('quota', 61);
    expect(await client.submit(message('quota', to), to)).toMatch(/^450 4\.7\.1 QUOTA_EXCEEDED/);
    expect([await rowsOf('quota'), await used()]).toEqual([[], before]);
    await quotas.set({ companyId: 'acme', period: 'day', limit: before + 2 });
    expect(await client.submit(message('quota', to), to)).toMatch(/^250 /);
    expect(await used()).toBe(before + 2);
    client.close();
  });

  test('a limit per recipient that one of 61 has met → nothing is accepted', async () => {
    const type = 'large_notice';
    await door.postrider.rateLimits.set({ type, limit: 1, windowSeconds: 3600, companyId: 'acme' });
    const client = await signedIn();
    const to = people('limited', 61);
    const head = [`X-Postrider-Type: ${type}`];
    expect(await client.submit(message('limit-one', [to[60]!], head), [to[60]!])).toMatch(/^250 /);
    expect(await client.submit(message('limit-all', to, head), to)).toMatch(/^450 4\.7\.1 RATE_LIMITED/);
    expect(await rowsOf('limit-all')).toEqual([]);
    client.close();
  });

  test('some are suppressed, one share wholly → they are left out, the others are reached', async () => {
    const to = people('gone', 53);
    const gone = [to[7]!, ...to.slice(50)];
    await door.postrider.suppressions.add(
      gone.map((email) => ({ email, reason: 'manual' as const })),
      { companyId: 'acme' },
    );
    const client = await signedIn();
    expect(await client.submit(message('suppressed', to), to)).toMatch(/^250 /);
    client.close();
    const [first, second] = await rowsOf('suppressed');
    await expect.poll(async () => (await door.postrider.get(first!.id))?.status).toBe('sent');
    expect(door.provider.callsFor(first!.id)[0]!.recipients).toEqual(
      to.slice(0, 50).filter((address) => !gone.includes(address)),
    );
    expect((await door.postrider.get(second!.id))?.status).toBe('suppressed');
  });

  test('one recipient is put off → the retry goes to that one, with the same header', async () => {
    const to = people('slow', 61);
    door.provider.script(to[0]!, async (email) =>
      email.recipients.length === 1
        ? { kind: 'sent', providerMessageId: null, trace: { stage: 'reply' } }
        : {
            kind: 'sent',
            providerMessageId: null,
            trace: { stage: 'reply' },
            ...(email.recipients.includes(to[3]!) && {
              remaining: [{ address: to[3]!, code: 'SMTP_450', message: 'busy' }],
            }),
          },
    );
    const client = await signedIn();
    expect(await client.submit(message('slow', to), to)).toMatch(/^250 /);
    client.close();
    const emails = await delivered('slow');
    const [row] = await rowsOf('slow');
    expect(door.provider.callsFor(row!.id).map(({ recipients }) => recipients)).toEqual([
      to.slice(0, 50),
      [to[3]],
    ]);
    expect(addresses(emails[0]!.to)).toEqual(to);
  });

  test('looked at and sent again by an operator → the share, its header, and nobody else', async () => {
    const to = people('shown', 2);
    const client = await signedIn();
    const bcc = people('hidden', 51);
    expect(await client.submit(message('shown', to), [...to, ...bcc])).toMatch(/^250 /);
    client.close();
    const rows = await rowsOf('shown');
    const detail = await door.call('GET', `/admin/emails/${rows[1]!.id}`, { as: ROOT });
    expect(detail.body.envelope).toMatchObject({
      to: [],
      cc: [],
      bcc: bcc.slice(48).map((address) => ({ address })),
      headerRecipients: { to: to.map((address) => ({ address })), cc: [] },
    });
    const again = await door.call('POST', `/admin/emails/${rows[1]!.id}/resend`, { as: ROOT });
    expect(again.status).toBe(202);
    await expect.poll(async () => (await door.postrider.get(again.body.emailId))?.status).toBe('sent');
    const email = door.provider.callsFor(again.body.emailId)[0]!.email;
    expect([email.recipients, addresses(email.to)]).toEqual([bcc.slice(48), to]);
    const shown = await door.call('GET', `/resend/emails/${rows[1]!.id}`, { as: token });
    expect(shown.body).toMatchObject({ to: [], bcc: bcc.slice(48) });
  });

  test('a person who is named in To is erased → of no email is the name left, and the others keep theirs', async () => {
    const to = people('erase', 61);
    const client = await signedIn();
    const named = to.map((address, n) => (n === 2 ? `Nora Named <${address}>` : address));
    expect(await client.submit(message('erased', named), to)).toMatch(/^250 /);
    client.close();
    await delivered('erased');
    expect(await door.postrider.erase({ email: to[2]!, companyId: 'acme' })).toMatchObject({ redacted: 2 });
    const rows = await rowsOf('erased');
    expect(JSON.stringify(rows)).not.toMatch(/Nora|erase-2@/);
    expect(rows.map((row) => row.message.headerRecipients!.to.length)).toEqual([60, 60]);
    expect(rows.map((row) => row.message.to.length)).toEqual([49, 11]);
  });
});

describe('51 recipients at a way in that takes one email', () => {
  const to = people('whole', 51);
  const email = { to, subject: 'whole', text: 'Hello', from: 'app@acme.example' };
  const none = async () => expect(await rowsOf('whole')).toEqual([]);

  test('library, alone and in a batch → refused whole, with the limit', async () => {
    await expect(door.postrider.send(email)).rejects.toThrow('more than 50 addresses');
    await expect(door.postrider.sendBatch([{ ...email, to: to[0]! }, email])).rejects.toMatchObject({
      code: 'INVALID_EMAIL',
      field: '[1].to',
    });
    await none();
  });

  test('HTTP, alone and in a batch → refused whole', async () => {
    expect((await door.call('POST', '/v1/email/send', { as: token, body: email })).status).toBe(400);
    const batch = [{ ...email, to: to[0]! }, email];
    expect((await door.call('POST', '/v1/email/batch', { as: token, body: batch })).status).toBe(400);
    await none();
  });

  test('Resend, alone, strict and permissive → refused, the permissive batch naming which', async () => {
    expect((await door.call('POST', '/resend/emails', { as: token, body: email })).status).toBe(422);
    const batch = [{ ...email, subject: 'permissive', to: to[0]! }, email];
    expect((await door.call('POST', '/resend/emails/batch', { as: token, body: batch })).status).toBe(422);
    expect(await rowsOf('permissive')).toEqual([]);
    const permissive = await door.call('POST', '/resend/emails/batch', {
      ...{ as: token, body: batch },
      headers: { 'x-batch-validation': 'permissive' },
    });
    expect(permissive.body).toMatchObject({ data: [{ id: expect.any(String) }], errors: [{ index: 1 }] });
    expect(await rowsOf('permissive')).toHaveLength(1);
    await none();
  });

  test('SQL → refused whole', async () => {
    await expect(
      door.pool.query("select postrider.accept_v1($1, 'whole', text_body => 'Hello')", [to.join(', ')]),
    ).rejects.toThrow();
    await none();
  });
});
