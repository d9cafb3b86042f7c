import { expect, it } from 'vitest';
import { rawClient } from '../../src/doors/smtp/raw-client.fixture.js';
import { createPostrider } from '../../src/index.js';
import { createTestDatabase, describeWith } from '../services/index.js';
import { spawnChild } from './ground/spawn-child.js';

/**
 * The SMTP door killed between DATA and its answer. What it answered with 250 is in the ledger; a client that got no
 * answer sends the same again and has one email.
 */
const PLACES = [
  'submission:before-accept',
  'intake:before-write',
  'intake:remembered',
  'submission:accepted',
];

const message = (place: string) =>
  [
    'From: app@example.com',
    `To: ${recipientsOf(place).join(',\r\n ')}`,
    `Subject: ${place}`,
    `Message-ID: <${place.replace(':', '-')}@example.com>`,
    '',
    'Hello',
  ].join('\r\n');

/** More than one email has: two are written or none. */
const recipientsOf = (place: string) =>
  Array.from({ length: 61 }, (_, n) => `${place.replace(':', '-')}-${n}@example.net`);

describeWith('postgres')('on PostgreSQL', () => {
  it('killed anywhere between DATA and 250 → acknowledged ones are there, repeated ones once', async ({
    onTestFinished,
  }) => {
    const store = await createTestDatabase();
    onTestFinished(() => store.drop());
    const postrider = createPostrider({ database: store.url, config: { log: { level: 'error' } } });
    onTestFinished(() => postrider.stop());
    await postrider.access.tenants.create({ companyId: 'acme', name: 'Acme', fromDomains: ['example.com'] });
    const { token } = await postrider.access.keys.create({
      companyId: 'acme',
      name: 'app',
      permission: 'sending',
    });

    const submit = async (port: number, place: string) => {
      const client = await rawClient(port);
      expect(await client.signIn(token)).toMatch(/^235 /);
      const reply = await client.submit(message(place), recipientsOf(place));
      client.close();
      return reply;
    };
    const open = async (killAt?: string) => {
      const child = spawnChild({
        ...{ database: store.url, smtpPort: 1, work: false, submission: true },
        ...(killAt && { killAt }),
      });
      const { submissionPort } = await child.next('ready');
      return { child, port: submissionPort! };
    };
    const ids = async (place: string) => {
      const { rows } = await (await postrider.ready()).query<{ id: string }>(
        'select id from postrider.emails where subject = $1 order by id',
        [place],
      );
      return rows.map(({ id }) => id);
    };

    for (const place of PLACES) {
      const dying = await open(place);
      expect(await submit(dying.port, place)).toBe('(closed)');
      expect(await dying.child.gone).toBe('SIGKILL');
      expect(dying.child.diedAt()).toBe(place);
      expect(await ids(place)).toHaveLength(place === 'submission:accepted' ? 2 : 0);

      const next = await open();
      const [, id] = /^250 2\.0\.0 Accepted as (\S+) and 1 more$/.exec(await submit(next.port, place)) ?? [];
      // No goodbye: an answer is a promise that survives this.
      next.child.kill();
      await next.child.gone;
      expect(await ids(place)).toEqual([id, expect.any(String)]);
    }
  });
});
