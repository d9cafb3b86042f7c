import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostrider, type Postrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { describeWith, waitFor } from '../services/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { openJourney } from './ground/open-journey.js';
import { type ScriptedProvider, scriptedProvider } from './ground/scripted-provider.js';

/** A byte order mark before a text is no part of it: the same on every store, and never in an email. */
interface Opened {
  postrider: Postrider;
  provider: ScriptedProvider;
  close(): Promise<void>;
}

const MARK = '\ufeff';

function contract(
  name: string,
  open: () => Promise<Opened>,
  suite: typeof describe | typeof describe.skip = describe,
): void {
  suite(name, () => {
    let opened: Opened;
    beforeAll(async () => {
      opened = await open();
      await opened.postrider.start();
    });
    afterAll(() => opened.close());

    test.each([
      ['the subject', { subject: `${MARK}Hello`, text: 'Text', html: '<p>Text</p>' }],
      ['the text', { subject: 'Hello', text: `${MARK}Text`, html: '<p>Text</p>' }],
      ['the HTML', { subject: 'Hello', text: 'Text', html: `${MARK}<p>Text</p>` }],
      [
        'all of them, twice',
        { subject: `${MARK + MARK}Hello`, text: `${MARK + MARK}Text`, html: `${MARK + MARK}<p>Text</p>` },
      ],
      ['a text without HTML', { subject: 'Hello', text: `${MARK}Text` }],
      ['HTML without text, inside its first paragraph', { subject: 'Hello', html: `<p>${MARK}Text</p>` }],
    ])('U+FEFF at the start of %s → sent, without it', async (_where, content) => {
      const { emailId } = await opened.postrider.send({ to: 'ann@example.com', ...content });
      await waitFor(
        async () => {
          const log = await opened.postrider.get(emailId);
          if (log?.status === 'failed') throw new Error(`${log.errorCode}: ${log.errorReason}`);
          return log?.status === 'sent';
        },
        { timeoutMs: 20_000, what: 'the email to be sent' },
      );
      const [call] = opened.provider.callsFor(emailId);
      const { subject, text, html } = call!.email;
      expect([subject, text]).toEqual(['Hello', 'Text']);
      expect(html.startsWith(MARK)).toBe(false);
    });

    test('U+FEFF alone → refused as empty', async () => {
      const email = { to: 'ann@example.com', subject: 'Hello' };
      await expect(opened.postrider.send({ ...email, subject: MARK, text: 'Text' })).rejects.toMatchObject({
        field: 'subject',
      });
      await expect(opened.postrider.send({ ...email, text: MARK })).rejects.toMatchObject({ field: 'html' });
    });
  });
}

contract('PostgreSQL', openJourney, describeWith('postgres'));
contract('the embedded store', openEmbedded);
contract("PGlite of the application's own", async () => {
  const pglite = await PGlite.create();
  const provider = scriptedProvider();
  const postrider = createPostrider({
    ...{ database: pglite, provider, from: { address: 'noreply@example.com' }, logger: silentLogger },
    config: { worker: { pollIntervalMs: 100 } },
  });
  await postrider.ready();
  return {
    ...{ postrider, provider },
    async close() {
      await postrider.stop({ deadlineMs: 2000 });
      await pglite.close();
    },
  };
});

describeWith('postgres')('an email by SQL', () => {
  test('U+FEFF at the start of subject and text → sent, without it', async ({ onTestFinished }) => {
    const journey = await openJourney();
    onTestFinished(() => journey.close());
    await journey.postrider.start();
    const { rows } = await journey.pool.query<{ id: string }>(
      'select postrider.accept_v1(to_address => $1, subject => $2, text_body => $3) as id',
      ['ann@example.com', `${MARK}Hello`, `${MARK}Text`],
    );
    await journey.untilStatus(rows[0]!.id, 'sent');
    expect(journey.provider.callsFor(rows[0]!.id)[0]!.email).toMatchObject({
      subject: 'Hello',
      text: 'Text',
    });
  });

  test('a sender whose domain is beyond ASCII → sent, with a Message-ID in ASCII', async ({
    onTestFinished,
  }) => {
    const journey = await openJourney();
    onTestFinished(() => journey.close());
    await journey.postrider.start();
    const { rows } = await journey.pool.query<{ id: string }>(
      'select postrider.accept_v1(to_address => $1, subject => $2, text_body => $3, from_address => $4) as id',
      ['ann@bücher.example', 'Hello', 'Text', 'shop@bücher.example'],
    );
    await journey.untilStatus(rows[0]!.id, 'sent');
    expect(journey.provider.callsFor(rows[0]!.id)[0]!.email.messageId).toBe(
      `<${rows[0]!.id}@xn--bcher-kva.example>`,
    );
  });
});
