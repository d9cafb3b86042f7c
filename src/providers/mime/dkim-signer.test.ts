import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, test } from 'vitest';
import { outgoingEmail } from '../outgoing-email.fixture.js';
import type { OutgoingEmail } from '../provider.js';
import { encodeForWire } from '../smtp/encode-for-wire.js';
import { composeMessage } from './compose-message.js';
import type { DkimKey } from './dkim-keys.js';
import { createDkimSigner } from './dkim-signer.js';

/** Verified by mailauth, which shares no code with the signer. */
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ed25519 = generateKeyPairSync('ed25519');
const pem = (key: typeof rsa) => key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const RSA_KEY: DkimKey = { domain: 'example.com', selector: 'r1', privateKey: pem(rsa) };
const ED_KEY: DkimKey = { domain: 'example.com', selector: 'e1', privateKey: ed25519.privateKey };

const RECORDS: Record<string, string> = {
  'r1._domainkey.example.com': `v=DKIM1; k=rsa; p=${rsa.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  'e1._domainkey.example.com': `v=DKIM1; k=ed25519; p=${ed25519.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')}`,
};

async function resolver(name: string, type: string): Promise<string[][]> {
  const record = RECORDS[name];
  if (type !== 'TXT' || !record) throw Object.assign(new Error('no record'), { code: 'ENOTFOUND' });
  return [[record]];
}

async function signed(parts: Partial<OutgoingEmail>, keys = [RSA_KEY, ED_KEY]): Promise<Buffer> {
  const email = outgoingEmail(parts);
  return createDkimSigner(keys).sign(await composeMessage(email), email.from.address);
}

async function verdicts(message: Buffer): Promise<string[]> {
  const { results } = await dkimVerify(message, { resolver });
  return results.map((each) => `${(each as { algo?: string }).algo ?? ''} ${each.status.result}`).sort();
}

const BOTH_PASS = ['ed25519-sha256 pass', 'rsa-sha256 pass'];

describe('a signed message', () => {
  test.each<[string, Partial<OutgoingEmail>]>([
    ['text and HTML', {}],
    ['text only, no line end', { html: '' }],
    ['white space and empty lines at the end', { html: '', text: 'a \t b \n\n  \n\t\n\n' }],
    ['nothing but empty lines', { html: '', text: '\n\n' }],
    ['dots and bare carriage returns', { html: '', text: '.\n..\na\rb' }],
    [
      'every script',
      {
        subject: '확인 코드 – Grüße 🎉',
        text: 'Привет',
        from: { address: 'a@example.com', name: 'Jürgen, PhD' },
      },
    ],
    ['a subject over several lines', { subject: 'word '.repeat(28).trim() }],
    ['unsubscribe headers', { headers: { 'List-Unsubscribe': '<https://example.com/u>', 'X-A': '1' } }],
    [
      'attachments',
      {
        attachments: [
          { filename: 'ü.bin', contentType: 'application/octet-stream', content: Buffer.alloc(5000, 7) },
        ],
      },
    ],
  ])('%s → both signatures hold for an independent verifier', async (_case, parts) => {
    expect(await verdicts(await signed(parts))).toEqual(BOTH_PASS);
  });

  test('any text → the signatures hold on what goes over the wire', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', maxLength: 400 }),
        fc.array(fc.constantFrom('', ' ', '\t', 'x', '. ', '\r', 'end  ')).map((lines) => lines.join('\n')),
        async (text, blanks) => {
          const message = await signed({ text: text + blanks, html: blanks });
          // Without a line that starts with a dot the wire form is the message itself.
          const wire = encodeForWire(message).content.toString('latin1').replace(/^\.\./gm, '.');
          expect(await verdicts(Buffer.from(wire, 'latin1'))).toEqual(BOTH_PASS);
        },
      ),
      { numRuns: 60 },
    );
  });

  test.each([
    ['the subject', /Subject: Your code/, 'Subject: My code'],
    ['a letter of the body', /Hello/, 'Hallo'],
    ['a second From', /^/, 'From: other@example.com\r\n'],
  ])('%s changed on the way → no signature holds', async (_case, found, replaced) => {
    const message = (await signed({})).toString('latin1').replace(found, replaced);
    const results = await verdicts(Buffer.from(message, 'latin1'));
    expect(results.filter((result) => result.endsWith('pass'))).toEqual([]);
  });

  test('folded and spaced differently on the way → both still hold', async () => {
    const message = (await signed({}))
      .toString('latin1')
      .replace('Subject: Your code', 'SUBJECT:   Your\r\n\t code ');
    expect(await verdicts(Buffer.from(message, 'latin1'))).toEqual(BOTH_PASS);
  });

  test('its lines → none over 78 characters', async () => {
    const head = (await signed({})).toString('latin1').split('\r\nFrom:')[0]!;
    expect(Math.max(...head.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(78);
  });
});

describe('whose key', () => {
  test('a domain without a key → the message as it is', async () => {
    const email = outgoingEmail({ from: { address: 'a@example.org' } });
    const message = await composeMessage(email);
    expect(await createDkimSigner([RSA_KEY]).sign(message, email.from.address)).toBe(message);
  });

  test('a subdomain without its own → signed by the domain above', async () => {
    const message = await signed({ from: { address: 'a@mail.example.com' } }, [ED_KEY]);
    expect(await verdicts(message)).toEqual(['ed25519-sha256 pass']);
    expect(message.toString()).toContain('d=example.com;');
  });

  test('headers a provider rewrites → left out of the signature', async () => {
    const email = outgoingEmail();
    const signer = createDkimSigner([ED_KEY], { unsigned: ['date', 'message-id'] });
    const message = (await signer.sign(await composeMessage(email), email.from.address))
      .toString('latin1')
      .replace(/Date: .*/, 'Date: Fri, 02 Jan 2026 00:00:00 +0000')
      .replace(/Message-ID: .*/, 'Message-ID: <other@amazonses.com>');
    expect(await verdicts(Buffer.from(message, 'latin1'))).toEqual(['ed25519-sha256 pass']);
  });

  test.each([
    ['no key at all', 'garbage'],
    ['a public key', rsa.publicKey],
    ['a key DKIM does not know', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey],
  ])('%s → INVALID_CONFIG', (_case, privateKey) => {
    expect(() => createDkimSigner([{ ...RSA_KEY, privateKey }])).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', field: 'dkim.privateKey' }),
    );
  });

  test('a selector that could break out → INVALID_CONFIG', () => {
    expect(() => createDkimSigner([{ ...RSA_KEY, selector: 'a;\r\nb' }])).toThrow(
      expect.objectContaining({ field: 'dkim.selector' }),
    );
  });
});
