import nodemailer from 'nodemailer';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineEmail, postriderTransport } from './index.js';
import { smtpProvider } from './provider-accounts.js';
import { outgoingEmail } from './providers/outgoing-email.fixture.js';
import { createTestPostrider, greet, scriptedServer, takeMessage } from './testing.js';

const parcelSent = defineEmail({
  type: 'parcel_sent',
  portal: 'org',
  category: 'orders',
  data: z.strictObject({ name: z.string() }),
  sample: { name: 'Ada' },
  content: {
    subject: '{{t "subject"}}',
    html: '{{> paragraph text=(t "hello" name=name)}}',
    messages: {
      en: { subject: 'On its way', hello: 'Hello {name}, your parcel has left.' },
      de: { subject: 'Unterwegs', hello: 'Hallo {name}, Ihr Paket ist unterwegs.' },
    },
  },
});
const open = () => createTestPostrider({ types: [parcelSent] });

let mail: Awaited<ReturnType<typeof open>>;
beforeAll(async () => {
  mail = await open();
}, 60_000);
beforeEach(() => mail.clear());
afterAll(() => mail.close());

const HOUR = 3_600_000;
const hello = (to: string, more = {}) => ({ to, subject: 'Hello', text: 'Hello there', ...more });

test('a mail of nodemailer to 61 → found by whom each email reached, with the whole To', async () => {
  const to = Array.from({ length: 60 }, (_, n) => `reader-${n}@example.net`);
  const transporter = nodemailer.createTransport(postriderTransport(mail.postrider));
  const info = await transporter.sendMail({
    ...{ from: 'app@example.com', to, bcc: 'hidden@example.net', subject: 'To all', text: 'Hello' },
  });
  expect(info.emailIds).toHaveLength(2);
  const [first, second] = await mail.sent({ subject: 'To all' });
  expect([first!.to, second!.to]).toEqual([to, to]);
  expect([first!.recipients, second!.recipients]).toEqual([
    to.slice(0, 50),
    [...to.slice(50), 'hidden@example.net'],
  ]);
  expect(second!.bcc).toEqual(['hidden@example.net']);
  expect(await mail.sent({ to: to[55]! })).toHaveLength(1);
});

test('headerRecipients of a batch → kept to names and addresses, and nobody is reached without being said', async () => {
  const refused = (headerRecipients: object, emails: object[] = [hello('a@example.net')]) =>
    expect(mail.postrider.sendBatch(emails as never, { headerRecipients } as never)).rejects;
  const many = Array.from({ length: 1001 }, (_, n) => `reader-${n}@example.net`);
  await refused({ to: many }).toMatchObject({ code: 'INVALID_EMAIL', field: 'headerRecipients.to' });
  await refused({ to: 'a@b\r\nBcc: c@example.net' }).toMatchObject({ code: 'INVALID_EMAIL' });
  await refused({ bcc: 'a@example.net' }).toMatchObject({ code: 'INVALID_PAYLOAD' });
  const wide = many.slice(1).map((address) => ({ address, name: '漢'.repeat(250) }));
  await refused({ to: wide }).toMatchObject({ code: 'INVALID_PAYLOAD', field: 'headerRecipients' });
  await refused({ to: 'list@example.net' }, [{ subject: 'a', text: 'b' }]).toMatchObject({ field: '[0].to' });
  await mail.expectNotSent();
});

describe('expectSent', () => {
  test('an email that was sent → given back with its content, a sensitive one too', async () => {
    await mail.postrider.send({
      to: 'ada@example.com',
      type: 'verification',
      data: { name: 'Ada', verifyUrl: 'https://example.com/v/1', expiresInHours: 24 },
    });
    const email = await mail.expectSent({
      to: 'ada@example.com',
      type: 'verification',
      text: /example\.com\/v/,
    });
    expect(email.text).toContain('https://example.com/v/1');
    expect(email).toMatchObject({ from: 'noreply@example.com', attempts: 1, to: ['ada@example.com'] });
  });

  test('none that matches → an error that shows what was sent, what was not, and why each is not it', async () => {
    await mail.postrider.send(hello('bob@example.com'));
    await mail.postrider.schedule(hello('eve@example.com'), new Date(mail.now().getTime() + HOUR));
    const error = await mail.expectSent({ to: 'ada@example.com', subject: /^Hello/ }).catch((e: Error) => e);
    expect((error as Error).message.replace(/until \S+/, 'until then')).toBe(
      [
        'No email was sent with to "ada@example.com", subject /^Hello/.',
        'Sent were:',
        '  (no type) to bob@example.com: "Hello"  (not its to)',
        'Accepted and not sent:',
        '  (no type) to eve@example.com: "Hello"  scheduled until then',
      ].join('\n'),
    );
  });

  test('a criterion there is not → a TypeError with those there are', async () => {
    await expect(mail.sent({ recipient: 'a' } as never)).rejects.toThrow(/recipient is none of to, from/);
  });

  test('a rolled back transaction → never sent', async () => {
    const undone = mail.postrider.transaction(async (tx) => {
      await mail.postrider.send(hello('ada@example.com'), { tx });
      throw new Error('no');
    });
    await expect(undone).rejects.toThrow('no');
    await mail.expectNotSent();
  });

  test('one that was not wanted → an error that shows it', async () => {
    await mail.postrider.send(hello('ada@example.com'));
    await expect(mail.expectNotSent({ to: 'ada@example.com' })).rejects.toThrow(
      'No email with to "ada@example.com" was to be sent, but:\n  (no type) to ada@example.com: "Hello"',
    );
  });
});

describe('time', () => {
  test('scheduled in two days → sent when time has moved there, not before; expired → never', async () => {
    const at = (ms: number) => new Date(mail.now().getTime() + ms);
    await mail.postrider.schedule(hello('later@example.com'), at(48 * HOUR));
    await mail.postrider.send(
      hello('never@example.com', { scheduledAt: at(48 * HOUR), expiresAt: at(48.5 * HOUR) }),
    );
    await mail.advance(47 * HOUR);
    await mail.expectNotSent();
    await mail.advance(3 * HOUR);
    await mail.expectSent({ to: 'later@example.com' });
    await mail.expectNotSent({ to: 'never@example.com' });
  });

  test('a server that asks to come again → retried once time has moved; one that refuses → failed', async () => {
    mail.answer('ada@example.com', 'defer', 'defer');
    mail.answer('bob@example.com', 'reject');
    const { emailId } = await mail.postrider.send(hello('ada@example.com'));
    const refused = await mail.postrider.send(hello('bob@example.com'));
    await mail.expectNotSent();
    expect(await mail.postrider.get(emailId)).toMatchObject({ status: 'retry', attempts: 1 });
    expect(await mail.postrider.get(refused.emailId)).toMatchObject({ status: 'failed' });
    await mail.advance(HOUR);
    await mail.advance(HOUR);
    expect(await mail.expectSent({ to: 'ada@example.com' })).toMatchObject({ attempts: 3 });
  });
});

test('clear → nothing sent, and neither limits nor keys remember', async () => {
  const send = () =>
    mail.postrider.send(hello('ada@example.com', { type: 'welcome' }), { idempotencyKey: 'k' });
  await send();
  await mail.expectSent({ type: 'welcome' });
  await mail.clear();
  await mail.expectNotSent();
  expect((await send()).queued).toBe(true);
  expect(await mail.sent()).toHaveLength(1);
});

test('a type of the application → typed, rendered, found by its language', async () => {
  const parcel = { type: 'parcel_sent', to: 'ada@example.com', data: { name: 'Ada' } } as const;
  await mail.postrider.send({ ...parcel, lang: 'de' });
  const email = await mail.expectSent({ type: 'parcel_sent', lang: 'de', subject: 'Unterwegs' });
  expect(email.text).toContain('Hallo Ada, Ihr Paket ist unterwegs.');
});

test('the scripted server → says what it is told, byte for byte', async () => {
  const messages: string[] = [];
  const server = await scriptedServer(async (peer) => {
    await greet(peer);
    messages.push(await takeMessage(peer));
  });
  const provider = smtpProvider({ host: '127.0.0.1', port: server.port });
  const sent = await provider.send(outgoingEmail({ subject: 'Hello' }), {
    sendDeadlineAt: Date.now() + 10_000,
    signal: new AbortController().signal,
    mayDeliver: () => true,
  });
  await provider.close();
  await server.stop();
  expect(sent).toMatchObject({ kind: 'sent', providerMessageId: 'ABC123' });
  expect(messages).toEqual([expect.stringContaining('Subject: Hello\r\n')]);
});
