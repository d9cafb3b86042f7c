import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { type SmtpDoor, startSmtpDoor } from '../../src/doors/smtp/index.js';
import { rawClient } from '../../src/doors/smtp/raw-client.fixture.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { smtpRooms } from '../../src/smtp-rooms.js';
import { describeWith } from '../services/index.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/** Messages submitted by real mail programs, through the ledger, to the provider. */
let journey: Journey;
let door: SmtpDoor;
const keys: Record<string, string> = {};

beforeAll(async () => {
  journey = await openJourney();
  const { access } = journey.postrider;
  for (const companyId of ['acme', 'globex']) {
    await access.tenants.create({ companyId, name: companyId, fromDomains: [`${companyId}.example`] });
    keys[companyId] = (await access.keys.create({ companyId, name: 'app', permission: 'sending' })).token;
  }
  door = await startSmtpDoor({
    ...smtpRooms(journey.postrider),
    settings: loadConfig({ overrides: { submission: { port: 0 } } }).submission,
    clock: systemClock,
    logger: silentLogger,
  });
  await journey.postrider.start();
});
afterAll(async () => {
  await door?.stop({ deadlineMs: 1000 });
  await journey?.close();
});

const idOf = (reply: string) => /Accepted as (\S+)/.exec(reply)![1]!;

test('nodemailer → delivered with its headers, bodies and files, to the envelope', async () => {
  const transport = nodemailer.createTransport({
    ...{ host: '127.0.0.1', port: door.port, ignoreTLS: true },
    auth: { user: 'postrider', pass: keys.acme! },
  });
  const info = await transport.sendMail({
    from: 'Acme <app@acme.example>',
    to: 'reader@example.net',
    bcc: 'hidden@example.net',
    subject: 'Grüße',
    text: 'Hällo',
    html: '<p>Hällo</p>',
    headers: { 'X-Campaign': 'spring' },
    attachments: [{ filename: 'a.txt', content: 'content of a' }],
  });
  transport.close();
  const emailId = idOf(info.response);
  expect(await journey.untilStatus(emailId, 'sent')).toMatchObject({
    companyId: 'acme',
    subject: 'Grüße',
    metadata: { messageId: info.messageId },
  });
  const [call] = journey.provider.callsFor(emailId);
  expect(call!.email).toMatchObject({
    from: { address: 'app@acme.example', name: 'Acme' },
    subject: 'Grüße',
    text: 'Hällo\n',
    html: '<p>Hällo</p>\n',
    headers: { 'X-Campaign': 'spring' },
    recipients: ['reader@example.net', 'hidden@example.net'],
  });
  expect(call!.email.attachments).toMatchObject([
    { filename: 'a.txt', content: Buffer.from('content of a') },
  ]);
});

test('the same bytes again, as after a lost answer → the same email; other words → another', async () => {
  const message = (words: string) =>
    [
      ...['From: app@acme.example', 'To: again@example.net', 'Subject: Again'],
      ...['Message-ID: <one@acme.example>', '', words],
    ].join('\r\n');
  const client = await rawClient(door.port);
  await client.signIn(keys.acme!);
  const first = await client.submit(message('One'), ['again@example.net']);
  expect(first).toMatch(/^250 /);
  expect(await client.submit(message('One'), ['again@example.net'])).toBe(first);
  expect(idOf(await client.submit(message('Two'), ['again@example.net']))).not.toBe(idOf(first));
  client.close();
});

test('nobody named in the message → an email for each, none sees another', async () => {
  const client = await rawClient(door.port);
  await client.signIn(keys.acme!);
  const message = 'From: app@acme.example\r\nTo: undisclosed-recipients:;\r\nSubject: News\r\n\r\nNews';
  expect(await client.submit(message, ['one@example.net', 'two@example.net'])).toMatch(
    /^250 2\.0\.0 Accepted as \S+ and 1 more$/,
  );
  client.close();
  const { rows } = await journey.pool.query(
    "select message from postrider.emails where subject = 'News' order by to_address",
  );
  expect(rows.map(({ message: { to, cc, bcc } }) => ({ to, cc, bcc }))).toEqual([
    { to: [{ address: 'one@example.net' }] },
    { to: [{ address: 'two@example.net' }] },
  ]);
});

test("another tenant's domain, a script in the HTML, an empty subject → 5yz with the reason, nothing written", async () => {
  const { rows: before } = await journey.pool.query('select count(*) from postrider.emails');
  const client = await rawClient(door.port);
  await client.signIn(keys.globex!);
  const message = (from: string, subject: string, type: string, body: string) =>
    [`From: ${from}`, 'To: r@example.net', `Subject: ${subject}`, `Content-Type: ${type}`, '', body].join(
      '\r\n',
    );
  const submit = (...parts: Parameters<typeof message>) =>
    client.submit(message(...parts), ['r@example.net']);
  expect(await submit('app@acme.example', 'a', 'text/plain', 'b')).toMatch(/^550 5\.7\.1 SENDER_NOT_ALLOWED/);
  expect(await submit('a@globex.example', 'a', 'text/html', '<script>1</script>')).toMatch(
    /^554 5\.6\.0 INVALID_TEMPLATE/,
  );
  expect(await submit('a@globex.example', '', 'text/plain', 'b')).toMatch(/^554 5\.6\.0 .*subject/);
  client.close();
  expect((await journey.pool.query('select count(*) from postrider.emails')).rows).toEqual(before);
});

describeWith('python')("Python's smtplib", () => {
  test('a message of its email package → delivered; a refusal → its own exception', async () => {
    const script = `
import smtplib, sys
from email.message import EmailMessage
def message(sender):
    m = EmailMessage()
    m['From'] = sender
    m['To'] = 'Gr\u00fc\u00dfe <python@example.net>'
    m['Subject'] = 'Gr\u00fc\u00dfe aus Python'
    m['X-Thing'] = 'kept'
    m.set_content('Hallo W\u00f6rld')
    m.add_alternative('<p>Hallo W\u00f6rld</p>', subtype='html')
    m.add_attachment(b'%PDF', maintype='application', subtype='pdf', filename='p.pdf')
    return m
with smtplib.SMTP('127.0.0.1', int(sys.argv[1])) as s:
    s.login('postrider', sys.argv[2])
    s.send_message(message('app@acme.example'))
    try:
        s.send_message(message('app@globex.example'))
    except smtplib.SMTPDataError as e:
        print(e.smtp_code, e.smtp_error.decode())
`;
    const { stdout } = await promisify(execFile)(inject('pythonUrl')!, [
      '-c',
      script,
      String(door.port),
      keys.acme!,
    ]);
    expect(stdout).toMatch(/^550 5\.7\.1 SENDER_NOT_ALLOWED/);
    const { rows } = await journey.pool.query<{ id: string }>(
      "select id from postrider.emails where to_address = 'python@example.net'",
    );
    expect(rows).toHaveLength(1);
    await journey.untilStatus(rows[0]!.id, 'sent');
    const [call] = journey.provider.callsFor(rows[0]!.id);
    expect(call!.email).toMatchObject({
      to: [{ address: 'python@example.net', name: 'Grüße' }],
      subject: 'Grüße aus Python',
      text: expect.stringMatching(/^Hallo Wörld\n+$/),
      headers: { 'X-Thing': 'kept' },
    });
    expect(call!.email.attachments).toMatchObject([{ filename: 'p.pdf', contentType: 'application/pdf' }]);
  });
});
