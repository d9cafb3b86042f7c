import { connect as connectTls } from 'node:tls';
import nodemailer from 'nodemailer';
import { describe, expect, test } from 'vitest';
import { PostriderError } from '../../kernel/index.js';
import { client, closeAfter, ground, MESSAGE, signedIn } from './door-clients.fixture.js';
import { rawClient, speakOn } from './raw-client.fixture.js';
import { openDoorGround, TOKEN } from './smtp-door.fixture.js';

describe('signing in', () => {
  test('no key, an unknown key, an unknown user with a key → 530, 535, 235', async () => {
    const at = await ground();
    const one = await client(at);
    await one.reply();
    await one.say('EHLO test');
    expect(await one.say('MAIL FROM:<app@example.com>')).toMatch(/^530 /);
    expect(await one.say(`AUTH PLAIN ${Buffer.from('\0x\0wrong').toString('base64')}`)).toMatch(
      /^535 5\.7\.8 /,
    );
    expect(await one.say(`AUTH PLAIN ${Buffer.from(`\0x\0${TOKEN}`).toString('base64')}`)).toMatch(/^235 /);
  });

  test('a certificate and no loopback rule → AUTH only after STARTTLS, and nothing slipped in before it', async () => {
    const at = await ground({ tls: true, host: '0.0.0.0' });
    const plain = await client(at);
    await plain.reply();
    expect(await plain.say('EHLO test')).not.toMatch(/AUTH/);
    expect(await plain.say(`AUTH PLAIN ${Buffer.from(`\0x\0${TOKEN}`).toString('base64')}`)).toMatch(/^538 /);
    plain.write(`STARTTLS\r\nNOOP injected\r\n`);
    expect(await plain.reply()).toMatch(/^220 /);
    plain.socket.removeAllListeners('data');
    const secure = speakOn(connectTls({ socket: plain.socket, rejectUnauthorized: false }));
    closeAfter(secure);
    expect(await secure.say('EHLO test')).toMatch(/AUTH PLAIN LOGIN/);
    expect(await secure.say(`AUTH PLAIN ${Buffer.from(`\0x\0${TOKEN}`).toString('base64')}`)).toMatch(
      /^235 /,
    );
    expect(await secure.submit(MESSAGE)).toMatch(/^250 2\.0\.0 Accepted as id-1-0/);
  });

  test('beyond loopback without a certificate, or one without its key → INVALID_CONFIG', async () => {
    await expect(openDoorGround({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    await expect(openDoorGround({ certificateFile: '/nowhere' })).rejects.toMatchObject({
      field: 'POSTRIDER_SUBMISSION_KEY',
    });
    await expect(openDoorGround({ certificateFile: '/no', keyFile: '/no' })).rejects.toMatchObject({
      field: 'POSTRIDER_SUBMISSION_CERT',
    });
  });

  test('a key revoked while its connection is open → its next message is refused', async () => {
    const at = await ground();
    const one = await signedIn(at);
    expect(await one.submit(MESSAGE)).toMatch(/^250 /);
    at.keys.clear();
    expect(await one.submit(MESSAGE)).toMatch(/^535 /);
    expect(at.accepted).toHaveLength(1);
  });

  test('the store away → 451, not 535: the client comes again', async () => {
    const at = await ground();
    at.keys.get = () => {
      throw new PostriderError('STORE_UNAVAILABLE', 'The database is away.');
    };
    const one = await client(at);
    expect(await one.signIn(TOKEN)).toMatch(/^451 4\.3\.0 STORE_UNAVAILABLE/);
  });
});

describe('limits', () => {
  test('more connections than a key may have → 421, and its place is free again once one has left', async () => {
    const at = await ground({ maxConnectionsPerKey: 2 });
    const first = await signedIn(at);
    await signedIn(at);
    expect(await (await client(at)).signIn(TOKEN)).toMatch(/^421 4\.7\.0 /);
    expect(await (await client(at)).signIn('re_bound')).toMatch(/^235 /);
    await first.say('QUIT');
    await expect.poll(async () => (await client(at)).signIn(TOKEN), { timeout: 10_000 }).toMatch(/^235 /);
  });

  test('more messages than a minute allows → 450 with the seconds, then allowed again', async () => {
    const at = await ground({ messagesPerMinute: 2 });
    const one = await signedIn(at);
    expect(await one.submit(MESSAGE)).toMatch(/^250 /);
    expect(await one.submit(MESSAGE)).toMatch(/^250 /);
    expect(await one.say('MAIL FROM:<app@example.com>')).toMatch(/^450 4\.7\.1 .* 30 s$/);
    at.clock.advance(30_000);
    expect(await one.submit(MESSAGE)).toMatch(/^250 /);
    expect(at.accepted).toHaveLength(3);
  });

  test('a message beyond the limit, said or not → 552, and the connection goes on', async () => {
    const at = await ground({ maxMessageBytes: 20_000 });
    const one = await signedIn(at);
    expect(await one.say('MAIL FROM:<app@example.com> SIZE=30000')).toMatch(/^552 /);
    expect(await one.submit(`${MESSAGE}${'x'.repeat(30_000)}`)).toMatch(/^552 /);
    expect(await one.submit(MESSAGE)).toMatch(/^250 /);
    expect(at.accepted).toHaveLength(1);
  });

  test.each([100, 1000])(
    '%d recipients allowed → announced; 452 for one more, and said again in the 250',
    async (maxRecipients) => {
      const at = await ground({ maxRecipients });
      const one = await signedIn(at);
      expect(await one.say('EHLO test')).toMatch(
        new RegExp(`^250[- ]LIMITS RCPTMAX=${maxRecipients}\r?$`, 'm'),
      );
      await one.say('MAIL FROM:<app@example.com>');
      const replies: string[] = [];
      for (let i = 0; i <= maxRecipients; i++)
        replies.push(await one.say(`RCPT TO:<reader-${i}@example.net>`));
      expect(replies.filter((reply) => reply.startsWith('250 '))).toHaveLength(maxRecipients);
      expect(replies.at(-1)).toMatch(/^452 4\.5\.3 /);
      await one.say('DATA');
      one.write(`${MESSAGE}\r\n.\r\n`);
      expect(await one.reply()).toMatch(
        new RegExp(`^250 .* \\(1 of ${maxRecipients + 1} recipients were refused\\)$`),
      );
      expect(at.lines.map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({ level: 40, refusedRecipients: 1, msg: 'smtp message accepted' }),
      );
      expect(at.accepted[0]!.emails).toHaveLength(maxRecipients / 50);
      expect(await one.submit(MESSAGE)).toMatch(/^250 2\.0\.0 Accepted as \S+$/);
    },
  );
});

describe('answers', () => {
  test('an acceptance under way → 250 only after it has returned', async () => {
    const at = await ground();
    let commit: (() => void) | null = null;
    at.onAccept = () =>
      new Promise((resolve) => {
        commit = resolve;
      });
    const one = await signedIn(at);
    let answered = false;
    const reply = one.submit(MESSAGE).finally(() => {
      answered = true;
    });
    await expect.poll(() => commit !== null).toBe(true);
    expect(answered).toBe(false);
    commit!();
    expect(await reply).toMatch(/^250 2\.0\.0 Accepted as id-1-0$/);
  });

  test.each([
    [new PostriderError('STORE_UNAVAILABLE', 'Away.'), /^451 4\.3\.0 STORE_UNAVAILABLE: Away\./],
    [new PostriderError('RATE_LIMITED', 'Too many.'), /^450 4\.7\.1 /],
    [new PostriderError('SENDER_NOT_ALLOWED', 'Not yours.'), /^550 5\.7\.1 /],
    [new PostriderError('INVALID_EMAIL', 'to[0] is none'), /^553 5\.1\.3 /],
    [new PostriderError('INVALID_TEMPLATE', 'html contains a script'), /^554 5\.6\.0 /],
    [new PostriderError('IDEMPOTENCY_IN_PROGRESS', 'Later.'), /^451 4\.3\.0 /],
    [
      new Error('connection string with a password'),
      /^451 4\.3\.0 The message could not be accepted; try again$/,
    ],
    [
      new PostriderError('INVALID_PAYLOAD', 'subject ü\r\n250 ok'),
      /^554 5\.6\.0 INVALID_PAYLOAD: subject \?\?\?250 ok$/,
    ],
  ])('%s → its reply', async (error, reply) => {
    const at = await ground();
    at.onAccept = () => Promise.reject(error);
    expect(await (await signedIn(at)).submit(MESSAGE)).toMatch(reply);
  });

  test('a message is refused, by intake or before it was read → the line names its Message-ID and the field', async () => {
    const at = await ground();
    at.onAccept = () =>
      Promise.reject(new PostriderError('INVALID_EMAIL', 'to[0] is none', { field: 'to[0]' }));
    const one = await signedIn(at);
    const refused = (of: string) =>
      at.lines
        .map((line) => JSON.parse(line) as { messageId?: string; msg: string })
        .find(({ messageId, msg }) => msg === 'smtp message refused' && messageId === of);
    expect(await one.submit(`Message-ID:\r\n <order-7@shop.example>\r\n${MESSAGE}`)).toMatch(/^553 /);
    expect(refused('<order-7@shop.example>')).toMatchObject({ code: 'INVALID_EMAIL', field: 'to[0]' });
    const sealed = 'Content-Type: multipart/signed; boundary=b\r\n';
    expect(await one.submit(`${sealed}message-id: <${'x'.repeat(5000)}@shop.example>\r\n${MESSAGE}`)).toMatch(
      /^554 /,
    );
    expect(refused(`<${'x'.repeat(199)}`)).toMatchObject({ code: 'INVALID_MESSAGE', field: 'message' });
    expect(await one.submit(`${sealed}${MESSAGE}\r\nMessage-ID: <body@shop.example>`)).toMatch(/^554 /);
    expect(refused('<body@shop.example>')).toBeUndefined();
  });

  test('a key bound to a domain → another From is 550, its own is taken, both under its company', async () => {
    const at = await ground();
    const one = await signedIn(at, 're_bound');
    expect(await one.submit(MESSAGE)).toMatch(/^550 5\.7\.1 SENDER_NOT_ALLOWED/);
    expect(await one.submit(MESSAGE.replace('app@example.com', 'app@bound.example'))).toMatch(/^250 /);
    expect(at.accepted[0]!.emails[0]).toMatchObject({
      companyId: 'bound',
      from: { address: 'app@bound.example' },
    });
  });

  test('an idempotency key in either header → it is the key and goes no further; in both → 554', async () => {
    const at = await ground();
    const one = await signedIn(at);
    for (const name of ['X-Postrider-Idempotency-Key', 'Resend-Idempotency-Key']) {
      expect(await one.submit(`${name}: order-7\r\n${MESSAGE}`)).toMatch(/^250 /);
      const { idempotencyKey, emails } = at.accepted.at(-1)!;
      expect(idempotencyKey).toBe('order-7');
      expect(emails[0]!.headers).toEqual({});
    }
    const both = `Resend-Idempotency-Key: a\r\nX-Postrider-Idempotency-Key: b\r\n${MESSAGE}`;
    expect(await one.submit(both)).toMatch(/^554 /);
    expect(at.accepted).toHaveLength(2);
  });

  test('stopping → the message in hand is answered, idle connections get 421, new ones none', async () => {
    const at = await ground();
    const idle = await signedIn(at);
    const busy = await signedIn(at);
    let commit: (() => void) | null = null;
    at.onAccept = () =>
      new Promise((resolve) => {
        commit = resolve;
      });
    const reply = busy.submit(MESSAGE);
    await expect.poll(() => commit !== null).toBe(true);
    const stopped = at.door.stop({ deadlineMs: 5000 });
    expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
    commit!();
    expect(await reply).toMatch(/^250 /);
    expect(await busy.say('MAIL FROM:<app@example.com>')).toMatch(/^421 /);
    await stopped;
    await expect(rawClient(at.door.port)).rejects.toThrow();
  });

  test('nodemailer with attachments and copies → everything arrives as it was meant', async () => {
    const at = await ground({ tls: true });
    const transport = nodemailer.createTransport({
      host: '127.0.0.1',
      port: at.door.port,
      requireTLS: true,
      tls: { rejectUnauthorized: false },
      auth: { user: 'postrider', pass: TOKEN },
    });
    const info = await transport.sendMail({
      from: 'Äpp <app@example.com>',
      to: ['One <one@example.net>', 'two@example.net'],
      cc: 'three@example.net',
      bcc: 'hidden@example.net',
      replyTo: 'reply@example.com',
      subject: 'Grüße 🎉',
      text: 'Hällo\n.\n..dots',
      html: '<p>Hällo <img src="cid:logo@app"></p>',
      headers: { 'X-Campaign': 'spring', 'X-Postrider-Type': 'newsletter', 'X-Postrider-Priority': '4' },
      attachments: [
        { filename: 'päper.pdf', content: Buffer.from('%PDF'), contentType: 'application/pdf' },
        { filename: 'logo.png', content: Buffer.from('png'), cid: 'logo@app' },
      ],
    });
    transport.close();
    expect(info.response).toBe('250 2.0.0 Accepted as id-1-0');
    expect(at.accepted).toHaveLength(1);
    expect(at.accepted[0]!.idempotencyKey).toMatch(/^smtp:[0-9a-f]{64}$/);
    expect(at.accepted[0]!.emails).toEqual([
      expect.objectContaining({
        companyId: 'acme',
        type: 'newsletter',
        priority: 4,
        from: { address: 'app@example.com', name: 'Äpp' },
        to: [{ address: 'one@example.net', name: 'One' }, { address: 'two@example.net' }],
        cc: [{ address: 'three@example.net' }],
        bcc: ['hidden@example.net'],
        replyTo: [{ address: 'reply@example.com' }],
        subject: 'Grüße 🎉',
        text: 'Hällo\n.\n..dots\n',
        html: expect.stringContaining('cid:logo@app'),
        headers: { 'X-Campaign': 'spring' },
        metadata: { messageId: info.messageId },
        attachments: [
          {
            filename: 'logo.png',
            content: Buffer.from('png').toString('base64'),
            contentType: 'image/png',
            contentId: 'logo@app',
          },
          {
            filename: 'päper.pdf',
            content: Buffer.from('%PDF').toString('base64'),
            contentType: 'application/pdf',
          },
        ],
      }),
    ]);
  });
});
