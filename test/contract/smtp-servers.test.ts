import { generateKeyPairSync } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { systemClock } from '../../src/kernel/index.js';
import {
  composeMessage,
  createSmtpProvider,
  type DkimKey,
  type OutgoingEmail,
  type Provider,
} from '../../src/providers/index.js';
import { describeWith, waitFor } from '../services/index.js';
import { attempt, email } from './provider.contract.js';
import type { MailServer } from './servers/mail-server.js';
import { startOpensmtpd } from './servers/start-opensmtpd.js';
import { startPostfix } from './servers/start-postfix.js';

/** Our SMTP client and servers of other people: what they store is what we composed, byte for byte. */
describeWith('postfix')('postfix', () => storesByteEqual(() => startPostfix(inject('postfixUrl')!)));
// Its listen queue holds five. Of twenty connections that come at once the kernel drops some, which connect a
// second later, or believe to be connected and are never greeted; so the pool opens a few at a time.
describeWith('opensmtpd')('opensmtpd', () => storesByteEqual(() => startOpensmtpd(inject('opensmtpdUrl')!)));

const MESSAGES: [string, Partial<OutgoingEmail>][] = [
  ['text and HTML', {}],
  ['dots at line starts and a long line', { html: '', text: `.\n..\n.x\n${'y'.repeat(3000)}\n.` }],
  ['every script', { subject: '확인 코드 – Grüße 🎉', text: 'Привет\nשלום', html: '<p>ยินดี</p>' }],
  ['white space and empty lines at the end', { html: '', text: 'a  \n\t\n\n\n' }],
  [
    'an attachment of a megabyte',
    {
      attachments: [
        {
          filename: 'ü.bin',
          contentType: 'application/octet-stream',
          content: Buffer.alloc(1 << 20, '\r.\n.\0'),
        },
      ],
    },
  ],
];

function storesByteEqual(start: () => Promise<MailServer>): void {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const dkim: DkimKey[] = [{ domain: 'signed.example', selector: 's1', privateKey }];
  let server: MailServer;
  let provider: Provider;
  beforeAll(async () => {
    server = await start();
    provider = createSmtpProvider(
      { host: '127.0.0.1', port: server.port, dkim, maxConnections: 20 },
      { clock: systemClock },
    );
  });
  afterAll(async () => {
    await provider?.close();
    await server?.stop();
  });

  async function sendAndFind(sent: OutgoingEmail): Promise<Buffer> {
    const outcome = await provider.send(sent, attempt());
    expect(outcome).toMatchObject({ kind: 'sent' });
    // Both servers name their queue's id in the answer.
    expect(outcome.kind === 'sent' && outcome.providerMessageId).toMatch(/^[0-9A-Za-z]{8,}$/);
    return waitFor(() => server.stored().find((message) => message.includes(sent.messageId)), {
      timeoutMs: 20_000,
      what: 'the message in the mailbox',
    });
  }

  test.each(MESSAGES)(
    '%s → stored byte-equal, with nothing but trace headers before it',
    async (_case, parts) => {
      const sent = email(parts);
      const stored = await sendAndFind(sent);
      const composed = (await composeMessage(sent)).toString('latin1').replace(/\r\n/g, '\n');
      const expected = composed.endsWith('\n') ? composed : `${composed}\n`;
      const text = stored.toString('latin1');
      expect(text.slice(-expected.length) === expected).toBe(true);
      expect(text.slice(0, -expected.length)).toMatch(TRACE_HEADERS);
    },
  );

  test('a signed message → the signature holds on what was stored', async () => {
    const stored = await sendAndFind(email({ from: { address: 'a@signed.example' }, text: 'x \n\n' }));
    const record = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64');
    const { results } = await dkimVerify(
      Buffer.from(stored.toString('latin1').replace(/\n/g, '\r\n'), 'latin1'),
      {
        resolver: async () => [[`v=DKIM1; k=ed25519; p=${record}`]],
      },
    );
    expect(results.map(({ status }) => status.result)).toEqual(['pass']);
  });

  test('two hundred at once → each is stored once', async () => {
    const emails = Array.from({ length: 200 }, () => email());
    const before = server.stored().length;
    const outcomes = await Promise.all(emails.map((each) => provider.send(each, attempt())));
    const unsent = outcomes.filter(({ kind }) => kind !== 'sent');
    expect(unsent).toEqual([]);
    await waitFor(() => server.stored().length >= before + 200, { timeoutMs: 60_000, what: '200 messages' });
    const ids = server.stored().map((message) => /^Message-ID: (\S+)/m.exec(message.toString())?.[1]);
    for (const { messageId } of emails) expect(ids.filter((id) => id === messageId)).toHaveLength(1);
  });
}

const TRACE_HEADERS = /^(?:(?:Return-Path|X-Original-To|Delivered-To|Received):.*\n(?:[ \t].*\n)*)+$/;
