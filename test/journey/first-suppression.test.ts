import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPostrider, type Postrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/** While nobody is suppressed no email is looked up; the first suppression there is must end that at once. */
let journey: Journey;
let other: Postrider;
beforeAll(async () => {
  journey = await openJourney();
  other = createPostrider({
    ...{ database: journey.url, provider: scriptedProvider(), logger: silentLogger },
    from: { address: 'noreply@example.com' },
  });
  await other.ready();
  await journey.postrider.start();
});
afterAll(async () => {
  await other?.stop();
  await journey?.close();
});

/** Intake and worker have just seen that the list is empty. */
beforeEach(async () => {
  await journey.pool.query('delete from postrider.suppressions');
  const { emailId } = await journey.postrider.send(anEmail());
  await journey.untilStatus(emailId, 'sent');
});

const rounds = [1, 2, 3];
const who = ['this process', 'another process', 'a hand-written statement'] as const;
const cases = who.flatMap((by) => rounds.map((round) => [by, round] as const));

async function suppress(by: (typeof who)[number], email: string): Promise<void> {
  if (by === 'this process') await journey.postrider.suppressions.add([{ email }]);
  else await other.suppressions.add([{ email }]);
  if (by !== 'a hand-written statement') return;
  await journey.pool.query('create table kept as select * from postrider.suppressions');
  await journey.pool.query('delete from postrider.suppressions');
  const { emailId } = await journey.postrider.send(anEmail());
  await journey.untilStatus(emailId, 'sent');
  await journey.pool.query('insert into postrider.suppressions overriding system value select * from kept');
  await journey.pool.query('drop table kept');
}

test.each(cases)(
  'suppressed by %s just before an email to them and another is accepted → only the other is reached (%i)',
  async (by) => {
    await suppress(by, 'gone@example.com');
    const { emailId } = await journey.postrider.send(
      anEmail({ to: ['gone@example.com', 'here@example.com'] } as object),
    );
    await journey.untilStatus(emailId, 'sent');
    expect(journey.provider.callsFor(emailId)[0]!.recipients).toEqual(['here@example.com']);
  },
);

test.each(cases)(
  'suppressed by %s just before an email to them alone is accepted → nobody is written to (%i)',
  async (by) => {
    await suppress(by, 'gone@example.com');
    const { emailId, status } = await journey.postrider.send(anEmail({ to: 'gone@example.com' }));
    if (by === 'this process') expect(status).toBe('suppressed');
    await journey.untilStatus(emailId, 'suppressed');
    expect(journey.provider.callsFor(emailId)).toEqual([]);
  },
);

test('suppressed in a transaction that commits after a look at the list → nobody is written to', async () => {
  const client = await journey.pool.connect();
  await client.query('begin');
  await journey.postrider.suppressions.add([{ email: 'gone@example.com' }], { tx: client });
  const before = await journey.postrider.send(anEmail());
  await journey.untilStatus(before.emailId, 'sent');
  await client.query('commit');
  client.release();
  const { emailId } = await journey.postrider.send(anEmail({ to: 'gone@example.com' }));
  await journey.untilStatus(emailId, 'suppressed');
  expect(journey.provider.callsFor(emailId)).toEqual([]);
});
