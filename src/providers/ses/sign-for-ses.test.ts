import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import dns from 'node:dns';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock, systemClock } from '../../kernel/index.js';
import type { DkimKey } from '../mime/dkim-keys.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { createSmtpProvider } from '../smtp/create-smtp-provider.js';
import { greet, type Script, scriptedServer, takeEnvelope } from '../smtp/scripted-server.fixture.js';
import { createSesProvider } from './create-ses-provider.js';
import { DUPLICATE_SIGNATURE, refusesSignatures, sesStub, signaturesIn } from './ses-stub.fixture.js';
import { isSesHost } from './sign-for-ses.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
const ed25519 = generateKeyPairSync('ed25519').privateKey;
const key = (privateKey: KeyObject, selector: string): DkimKey => ({
  domain: 'example.com',
  selector,
  privateKey,
});
const BOTH = [key(ed25519, 'ed'), key(rsa, 'rsa')];

describe('over the API of SES', () => {
  async function sesWith(stub: { url: string }, dkim: DkimKey[] = BOTH, clock = systemClock) {
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };
    const provider = createSesProvider(
      { region: 'eu-north-1', endpoint: stub.url, credentials, dkim },
      { clock },
    );
    onTestFinished(() => provider.close());
    return provider;
  }

  test('keys of both kinds → one signature, by RSA, which everyone can verify', async () => {
    const stub = await sesStub();
    const provider = await sesWith(stub);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
    expect(signaturesIn(stub.taken[0]!)).toEqual([expect.objectContaining({ a: 'rsa-sha256', s: 'rsa' })]);
  });

  test('one key of Ed25519 → one signature, by it', async () => {
    const stub = await sesStub();
    const provider = await sesWith(stub, [key(ed25519, 'ed')]);
    await provider.send(outgoingEmail(), attemptContext());
    expect(signaturesIn(stub.taken[0]!)).toEqual([expect.objectContaining({ s: 'ed' })]);
  });

  test('an identity that signs by itself → none of ours, asked once for many emails', async () => {
    const stub = await sesStub({ identities: { 'example.com': { signs: true } } });
    const provider = await sesWith(stub);
    const outcomes = await Promise.all([1, 2, 3].map(() => provider.send(outgoingEmail(), attemptContext())));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['sent', 'sent', 'sent']);
    expect(stub.taken.flatMap(signaturesIn)).toEqual([]);
    expect(stub.asked).toEqual(['sender@example.com', 'example.com']);
  });

  test('the identity of a parent domain signs → none of ours; the address has one that does not → ours', async () => {
    const from = { address: 'a@mail.example.com' };
    const parent = await sesStub({ identities: { 'example.com': { signs: true } } });
    await (await sesWith(parent)).send(outgoingEmail({ from }), attemptContext());
    expect(parent.asked).toEqual(['a@mail.example.com', 'mail.example.com', 'example.com']);
    expect(signaturesIn(parent.taken[0]!)).toEqual([]);
    const nearer = await sesStub({
      identities: { 'a@mail.example.com': { signs: false }, 'example.com': { signs: true } },
    });
    await (await sesWith(nearer)).send(outgoingEmail({ from }), attemptContext());
    expect(signaturesIn(nearer.taken[0]!)).toHaveLength(1);
  });

  test('its own key is not published yet → ours', async () => {
    const stub = await sesStub({ identities: { 'example.com': { signs: true, status: 'PENDING' } } });
    await (await sesWith(stub)).send(outgoingEmail(), attemptContext());
    expect(signaturesIn(stub.taken[0]!)).toHaveLength(1);
  });

  test('nobody may ask → ours; refused for it → tried again without, and so for an hour', async () => {
    const identities = { 'example.com': { signs: true } };
    const stub = await sesStub({ identities, mayAsk: false });
    const clock = new ManualClock(Date.now());
    const provider = await sesWith(stub, BOTH, clock);
    const first = await provider.send(outgoingEmail(), attemptContext());
    expect(first).toMatchObject({ kind: 'deferred', code: 'DUPLICATE_DKIM_SIGNATURE', uncounted: true });
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
    expect(signaturesIn(stub.taken[0]!)).toEqual([]);
    identities['example.com'] = { signs: false };
    clock.advance(61 * 60_000);
    await provider.send(outgoingEmail(), attemptContext({ sendDeadlineAt: clock.now() + 10_000 }));
    expect(signaturesIn(stub.taken[1]!)).toHaveLength(1);
  });

  test('no key of ours → nobody is asked', async () => {
    const stub = await sesStub();
    await (await sesWith(stub, [])).send(outgoingEmail(), attemptContext());
    expect(stub.asked).toEqual([]);
  });
});

describe('over SMTP to a host of SES', () => {
  /** Takes messages as SES does, under its name. */
  async function smtpWith(host: string, identities: Parameters<typeof refusesSignatures>[1] = {}) {
    const taken: string[] = [];
    const script: Script = async (peer) => {
      await greet(peer);
      for (;;) {
        await takeEnvelope(peer);
        const message = await peer.message();
        const refused = refusesSignatures(message, identities);
        if (!refused) taken.push(message);
        peer.say(refused ? `554 Transaction failed: ${DUPLICATE_SIGNATURE}` : '250 Ok 0102');
      }
    };
    const server = await scriptedServer(script);
    const lookup = vi
      .spyOn(dns, 'lookup')
      .mockImplementation(((_host: string, options: object, done: Done) =>
        'all' in options && options.all
          ? done(null, [{ address: '127.0.0.1', family: 4 }])
          : done(null, '127.0.0.1', 4)) as never);
    const provider = createSmtpProvider({ host, port: server.port, dkim: BOTH }, { clock: systemClock });
    onTestFinished(async () => {
      lookup.mockRestore();
      await provider.close();
      await server.stop();
    });
    return { provider, taken };
  }
  type Done = (error: null, address: unknown, family?: number) => void;

  test('keys of both kinds → one signature, without Date and Message-ID, which SES rewrites', async () => {
    const { provider, taken } = await smtpWith('email-smtp.eu-north-1.amazonaws.com');
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
    const [signature, ...others] = signaturesIn(taken[0]!);
    expect([signature?.a, others]).toEqual(['rsa-sha256', []]);
    expect(signature?.h?.split(':')).not.toEqual(expect.arrayContaining(['date']));
    expect(signature?.h?.split(':')).not.toEqual(expect.arrayContaining(['message-id']));
  });

  test('an identity that signs by itself → refused once, tried again without, and taken from then on', async () => {
    const { provider, taken } = await smtpWith('email-smtp.eu-north-1.amazonaws.com', {
      'example.com': { signs: true },
    });
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'deferred',
      code: 'DUPLICATE_DKIM_SIGNATURE',
    });
    for (let n = 0; n < 3; n++)
      expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'sent' });
    expect(taken.flatMap(signaturesIn)).toEqual([]);
  });

  test('another host → a signature of each key, over Date and Message-ID too', async () => {
    const { provider, taken } = await smtpWith('mail.example.com');
    // It refuses two, as SES does, which shows that both were there.
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'rejected',
      code: 'SMTP_554',
    });
    expect(taken).toEqual([]);
  });
});

test.each([
  ['email-smtp.us-east-1.amazonaws.com', true],
  ['EMAIL-SMTP.eu-central-2.AmazonAWS.com.', true],
  ['email-smtp-fips.us-gov-west-1.amazonaws.com', true],
  ['email-smtp.cn-north-1.amazonaws.com.cn', true],
  ['vpce-0ab-1cd.email-smtp.us-east-1.vpce.amazonaws.com', true],
  ['email-smtp.us-east-1.api.aws', true],
  ['ses-smtp-prod-335357831.us-east-1.elb.amazonaws.com', true],
  ['email-smtp.us-east-1.amazonaws.com.evil.example', false],
  ['smtp.mail.us-east-1.awsapps.com', false],
  ['ec2-1-2-3-4.compute.amazonaws.com', false],
  ['email-smtp.example.com', false],
])('%s → a host of SES: %s', (host, is) => {
  expect(isSesHost(host)).toBe(is);
});
