import { writeFile } from 'node:fs/promises';
import nodemailer from 'nodemailer';
import type Mail from 'nodemailer/lib/mailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postriderTransport } from '../../src/index.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/** What takes a nodemailer transporter takes Postrider. */
let journey: Journey;
beforeAll(async () => {
  journey = await openJourney();
  await journey.postrider.start();
});
afterAll(() => journey.close());

const transporter = (defaults = {}) =>
  nodemailer.createTransport(postriderTransport(journey.postrider, defaults));

test('everything a mail object can say → delivered, and info in the shape of nodemailer', async ({
  task,
}) => {
  const file = `/tmp/postrider-${task.id}.txt`;
  await writeFile(file, 'from a file');
  const info = await transporter().sendMail({
    from: { name: 'Äpp', address: 'app@example.com' },
    to: [{ name: 'One', address: 'one@example.net' }, 'two@example.net'],
    cc: 'three@example.net',
    bcc: 'hidden@example.net',
    replyTo: 'reply@example.com',
    inReplyTo: '<earlier@example.com>',
    references: ['<first@example.com>', '<earlier@example.com>'],
    subject: 'Grüße 🎉',
    text: 'Hällo',
    html: '<p>Hällo <img src="cid:logo"></p>',
    priority: 'high',
    list: { unsubscribe: 'https://example.com/leave' },
    headers: { 'X-Thing': 'kept' },
    attachments: [
      { filename: 'b.bin', content: Buffer.from([0, 1, 255]) },
      { filename: 'c.txt', content: 'aGk=', encoding: 'base64' },
      { filename: 'logo.png', content: 'png', cid: 'logo' },
      { filename: 'd.txt', path: file },
      { path: 'data:text/csv;base64,YQ==', filename: 'e.csv' },
    ],
    icalEvent: { method: 'REQUEST', content: 'BEGIN:VCALENDAR\r\nEND:VCALENDAR' },
  });
  const [emailId] = info.emailIds;
  expect(info).toEqual({
    envelope: {
      from: 'app@example.com',
      to: ['one@example.net', 'two@example.net', 'three@example.net', 'hidden@example.net'],
    },
    messageId: `<${emailId}@example.com>`,
    accepted: ['one@example.net', 'two@example.net', 'three@example.net', 'hidden@example.net'],
    rejected: [],
    pending: [],
    response: `250 2.0.0 Accepted as ${emailId}`,
    emailIds: [emailId],
  });
  await journey.untilStatus(emailId!, 'sent');
  const [call] = journey.provider.callsFor(emailId!);
  expect(call!.email).toMatchObject({
    messageId: info.messageId,
    from: { address: 'app@example.com', name: 'Äpp' },
    to: [{ address: 'one@example.net', name: 'One' }, { address: 'two@example.net' }],
    cc: [{ address: 'three@example.net' }],
    bcc: [{ address: 'hidden@example.net' }],
    replyTo: [{ address: 'reply@example.com' }],
    subject: 'Grüße 🎉',
    headers: {
      'X-Thing': 'kept',
      'In-Reply-To': '<earlier@example.com>',
      References: '<first@example.com> <earlier@example.com>',
      'X-Priority': '1 (Highest)',
      Importance: 'High',
      'List-Unsubscribe': '<https://example.com/leave>',
    },
  });
  const files = Object.fromEntries(
    call!.email.attachments.map((one) => [one.filename, one.content.toString('latin1')]),
  );
  expect(files).toMatchObject({
    'b.bin': '\x00\x01\xff',
    'c.txt': 'hi',
    'logo.png': 'png',
    'd.txt': 'from a file',
    'e.csv': 'a',
  });
  expect(call!.email.attachments.find(({ filename }) => filename === 'logo.png')).toMatchObject({
    contentId: 'logo',
  });
});

test('in your transaction, rolled back → never was; committed → once, under its key and company', async () => {
  const { postrider } = journey;
  const mail = { from: 'app@example.com', to: 'tx@example.net', subject: 'Tx', text: 'Tx' };
  const count = async () =>
    (await journey.pool.query("select 1 from postrider.emails where to_address = 'tx@example.net'")).rowCount;
  const sendIn = (tx: unknown) =>
    transporter({ companyId: 'acme' }).sendMail({
      ...mail,
      postrider: { tx, idempotencyKey: 'tx-1' },
    } as Mail.Options);
  const rollback = new Error('rolled back');
  await expect(
    postrider.transaction(async (tx) => {
      await sendIn(tx);
      throw rollback;
    }),
  ).rejects.toBe(rollback);
  expect(await count()).toBe(0);
  const info = await postrider.transaction((tx) => sendIn(tx));
  // The message of a repeat has another boundary and date; what it says is the same.
  expect((await postrider.transaction((tx) => sendIn(tx))).emailIds).toEqual(info.emailIds);
  expect(await count()).toBe(1);
  expect(await postrider.get(info.emailIds[0]!)).toMatchObject({ companyId: 'acme' });
});

test('a raw message with LF line ends, no sender → taken; the default sender', async () => {
  const info = await transporter().sendMail({
    envelope: { from: 'x@example.com', to: ['raw@example.net'] },
    raw: 'To: raw@example.net\nSubject: Raw\n\nRaw\n',
  });
  await journey.untilStatus(info.emailIds[0]!, 'sent');
  expect(journey.provider.callsFor(info.emailIds[0]!)[0]!.email).toMatchObject({
    from: { address: 'noreply@example.com' },
    subject: 'Raw',
  });
});

test.each([
  ['a script', { html: '<script>1</script>' }, 'INVALID_TEMPLATE'],
  ['another Sender', { sender: 'other@example.com' }, 'INVALID_MESSAGE'],
  ['an unknown option', { postrider: { tennant: 'a' } }, 'INVALID_PAYLOAD'],
  [
    'a file where none may be read',
    { attachments: [{ path: '/etc/hostname' }], disableFileAccess: true },
    'EFILEACCESS',
  ],
])('%s → an error that names it', async (_what, parts, code) => {
  const mail = {
    from: 'a@example.com',
    to: 'r@example.net',
    subject: 'a',
    text: 'b',
    ...parts,
  } as Mail.Options;
  await expect(transporter().sendMail(mail)).rejects.toMatchObject({ code });
});

test('verify → true where the store can be reached', async () => {
  expect(await transporter().verify()).toBe(true);
});
