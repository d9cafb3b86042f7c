import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId, systemClock } from '../../src/kernel/index.js';
import type { AttemptContext, OutgoingEmail, Provider } from '../../src/providers/index.js';

/**
 * What every provider promises, run against each. `received` counts what the other side took;
 * providers that deliver to nobody leave it out.
 */
export function providerContract(name: string, makeProvider: () => Promise<ProviderUnderTest>): void {
  describe(`provider ${name}`, () => {
    let subject: ProviderUnderTest;
    beforeAll(async () => {
      subject = await makeProvider();
    });
    afterAll(async () => {
      await subject.provider.close();
      await subject.stop?.();
    });

    test('testConnection → ok, and nothing was delivered', async () => {
      const before = (await subject.received?.()) ?? 0;
      expect(await subject.provider.testConnection()).toMatchObject({ ok: true });
      expect((await subject.received?.()) ?? 0).toBe(before);
    });

    test('an email → sent once, with an id and a trace', async () => {
      const before = (await subject.received?.()) ?? 0;
      const outcome = await subject.provider.send(email(), attempt());
      expect(outcome).toMatchObject({ kind: 'sent', trace: { stage: expect.any(String) } });
      expect(outcome.kind === 'sent' && outcome.providerMessageId).toBeTruthy();
      if (subject.received) expect(await subject.received()).toBe(before + 1);
    });

    test('mayDeliver → asked exactly once per send that succeeds', async () => {
      let asked = 0;
      const mayDeliver = () => {
        asked += 1;
        return true;
      };
      expect(await subject.provider.send(email(), attempt({ mayDeliver }))).toMatchObject({ kind: 'sent' });
      expect(asked).toBe(1);
    });

    test('mayDeliver says no → deferred, uncounted, nothing delivered', async () => {
      const before = (await subject.received?.()) ?? 0;
      const outcome = await subject.provider.send(email(), attempt({ mayDeliver: () => false }));
      expect(outcome).toMatchObject({ kind: 'deferred', uncounted: true, code: 'LEASE_LOST' });
      expect((await subject.received?.()) ?? 0).toBe(before);
    });

    test('begin → called before mayDeliver, by those that say so', async () => {
      const asked: string[] = [];
      const outcome = await subject.provider.send(
        email(),
        attempt({
          begin: async () => asked.push('begin') > 0,
          mayDeliver: () => asked.push('mayDeliver') > 0,
        }),
      );
      expect(outcome).toMatchObject({ kind: 'sent' });
      expect(asked).toEqual([...(subject.provider.callsBegin ? ['begin'] : []), 'mayDeliver']);
    });

    test('begin says no → deferred, uncounted, nothing delivered', async () => {
      const before = (await subject.received?.()) ?? 0;
      const asked: string[] = [];
      const mayDeliver = () => asked.push('mayDeliver') > 0;
      const outcome = await subject.provider.send(email(), attempt({ begin: async () => false, mayDeliver }));
      expect(outcome).toMatchObject(
        subject.provider.callsBegin
          ? { kind: 'deferred', uncounted: true, code: 'CLAIM_LOST' }
          : { kind: 'sent' },
      );
      expect(asked).toHaveLength(subject.provider.callsBegin ? 0 : 1);
      if (subject.received) expect(await subject.received()).toBe(before + asked.length);
    });

    test('stopping before it begins → deferred, uncounted, nothing delivered', async () => {
      const before = (await subject.received?.()) ?? 0;
      const outcome = await subject.provider.send(email(), attempt({ signal: AbortSignal.abort() }));
      expect(outcome).toMatchObject({ kind: 'deferred', uncounted: true, code: 'STOPPING' });
      expect((await subject.received?.()) ?? 0).toBe(before);
    });

    test('many at once → each has its own outcome', async () => {
      const before = (await subject.received?.()) ?? 0;
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, () => subject.provider.send(email(), attempt())),
      );
      expect(outcomes.filter(({ kind }) => kind === 'sent')).toHaveLength(100);
      if (subject.received) expect(await subject.received()).toBe(before + 100);
    });

    test('attachments and every script → sent', async () => {
      const content = Buffer.from('attached');
      const outcome = await subject.provider.send(
        email({
          subject: '확인 코드 – Grüße 🎉',
          text: 'Привет\n.\n..',
          attachments: [{ filename: 'ü.txt', contentType: 'text/plain', content }],
        }),
        attempt(),
      );
      expect(outcome).toMatchObject({ kind: 'sent' });
    });

    test('close twice → harmless', async () => {
      const { provider, stop } = await makeProvider();
      await provider.close();
      await expect(provider.close()).resolves.toBeUndefined();
      await stop?.();
    });
  });
}

export interface ProviderUnderTest {
  provider: Provider;
  received?: () => number | Promise<number>;
  stop?: () => Promise<void>;
}

export function email(parts: Partial<OutgoingEmail> = {}): OutgoingEmail {
  const id = newId();
  return {
    id,
    messageId: `<${id}@example.com>`,
    date: new Date(systemClock.now()),
    from: { address: 'sender@example.com', name: 'Sender' },
    replyTo: [],
    to: [{ address: 'reader@example.net' }],
    cc: [],
    bcc: [],
    subject: 'Hello',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: {},
    attachments: [],
    recipients: ['reader@example.net'],
    ...parts,
  };
}

export function attempt(parts: Partial<AttemptContext> = {}): AttemptContext {
  return {
    sendDeadlineAt: systemClock.now() + 30_000,
    signal: new AbortController().signal,
    mayDeliver: () => true,
    ...parts,
  };
}
