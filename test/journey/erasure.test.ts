import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onKillPoint } from '../../src/kernel/index.js';
import type { Database } from '../../src/store/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { gate, rejected } from './ground/scripted-provider.js';

/** Every row of every table as text: what a dump of the database would hold. */
async function dump(database: Database): Promise<string> {
  const { rows } = await database.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'postrider'::regnamespace and relkind = 'r'`,
  );
  const tables: string[] = [];
  for (const { name } of rows) {
    const { rows: all } = await database.query<{ row: string }>(
      `select t::text as row from postrider.${name} t`,
    );
    tables.push(...all.map(({ row }) => row));
  }
  return tables.join('\n').toLowerCase();
}

describe('erasure on PostgreSQL', () => {
  let journey: Journey;
  let database: Database;
  beforeAll(async () => {
    journey = await openJourney();
    database = await journey.postrider.ready();
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  const later = () => new Date(Date.now() + 3_600_000);
  const ended = async (parts: object, status = 'sent', options = {}) => {
    const { emailId } = await journey.postrider.send(anEmail(parts), options);
    await journey.untilStatus(emailId, status);
    return emailId;
  };

  test('a user whose emails are counted by id → what was counted is gone with them, that of others stays', async () => {
    const { postrider, pool } = journey;
    const counted = async () => (await pool.query('select 1 from postrider.rate_limit_slots')).rowCount;
    await pool.query('delete from postrider.rate_limit_slots');
    for (const userId of ['u-bea', 'u-cal']) {
      await postrider.recipients.upsert([{ externalId: userId, email: `${userId}@example.com` }], {
        companyId: 'counted',
      });
      await postrider.send({
        ...{ type: 'welcome', to: `${userId}@example.com`, companyId: 'counted', userId },
        data: { name: 'Somebody' },
      });
    }
    expect(await counted()).toBe(2);
    await postrider.erase({ externalId: 'u-bea', companyId: 'counted' });
    expect(await counted()).toBe(1);
    expect(await postrider.rateLimits.reset({ type: 'welcome', userId: 'u-cal', companyId: 'counted' })).toBe(
      1,
    );
  });

  test('a person in every place there is → no trace in a dump; others with a similar address are untouched', async () => {
    const ann = 'Ann.Ray@Example.com';
    const { postrider, provider } = journey;
    await postrider.recipients.upsert([{ externalId: 'u-ann', email: ann, name: 'Ann Ray' }], {
      companyId: 'acme',
    });
    await postrider.recipients.reportCheckIn({ externalId: 'u-ann' }, { companyId: 'acme' });
    const mine = await ended(
      { to: ann, companyId: 'acme', html: `<a href="https://x.test/?u=ann.ray%40example.com">x</a>` },
      'sent',
      {
        idempotencyKey: `welcome:${ann}`,
      },
    );
    provider.script(ann, {
      ...rejected,
      message: `<${ann}> is not here`,
      trace: { ...rejected.trace, conversation: [`RCPT TO:<${ann}>`, '550 no'] },
    } as typeof rejected);
    const failed = await ended({ to: ann, companyId: 'acme' }, 'failed');
    const waiting = (await postrider.schedule(anEmail({ to: ann, companyId: 'acme' }), later())).emailId;
    const old = await ended({ to: 'old.address@example.org', companyId: 'acme', userId: 'u-ann' });
    const shared = await ended({
      to: 'bob@example.net',
      cc: [{ address: ann, name: 'Ann Ray' }],
      companyId: 'acme',
      subject: `About ${ann}`,
      metadata: { about: { who: ann } },
      headers: { 'X-About': ann },
    });
    const told = await ended({
      to: 'boss@example.net',
      companyId: 'acme',
      text: `new user ${ann}.`,
      html: '<p>hi</p>',
    });
    const joann = await ended({
      to: 'joann.ray@example.com',
      companyId: 'acme',
      text: 'to joann.ray@example.com',
    });
    const abroad = await ended({ to: 'ann.ray@example.com.au', companyId: 'acme' });

    await postrider.suppressions.add([{ email: ann, reason: 'manual', note: `asked by ${ann}` }], {
      companyId: 'acme',
    });
    const report = await postrider.erase({ email: 'ann.ray@example.com', companyId: 'acme' });
    expect(report).toEqual({
      emails: 4,
      cancelled: 1,
      redacted: 2,
      recipients: 1,
      idempotencyKeys: 1,
      left: 0,
      complete: true,
    });
    const rest = await dump(database);
    expect(rest).not.toMatch(/(?<![a-z0-9])ann\.ray@example\.com(?!\.au)/);
    expect(rest).not.toContain('ann.ray%40example.com');
    expect(rest).not.toContain('ann ray');
    expect(rest).not.toContain('u-ann');
    for (const id of [mine, failed, waiting, old]) expect(await postrider.get(id)).toBeNull();
    expect(await postrider.suppressions.find(ann, { companyId: 'acme' })).toMatchObject([{ email: null }]);
    expect(await postrider.get(shared)).toMatchObject({
      status: 'sent',
      to: 'bob@example.net',
      subject: 'About erased@erased.invalid',
      metadata: { about: { who: 'erased@erased.invalid' } },
    });
    expect(await postrider.get(told)).toMatchObject({ status: 'sent', to: 'boss@example.net' });
    expect(rest).toContain('joann.ray@example.com');
    for (const id of [joann, abroad]) {
      expect(await postrider.get(id)).not.toBeNull();
      const { rows } = await database.query('select 1 from postrider.email_bodies where email_id = $1', [id]);
      expect(rows).toHaveLength(1);
    }
    expect(await postrider.erase({ email: ann })).toMatchObject({ emails: 0, redacted: 0, complete: true });
  });

  test('what happened to emails of others names the person → the fact stays, without them', async () => {
    const gone = 'named.there@example.com';
    const waiting = await journey.postrider.schedule(anEmail({ to: 'one@example.net', cc: gone }), later());
    const shared = await ended({ to: 'one@example.net', cc: gone });
    const told = await ended({ to: 'two@example.net' });
    const others = await ended({ to: 'three@example.net' });
    for (const id of [waiting.emailId, shared, told])
      await database.query(
        `insert into postrider.email_facts (email_id, type, detail)
         values ($1, 'DELIVERED', $2::text::jsonb), ($1, 'OPENED', '{"by": "x.named.there@example.community"}')`,
        [
          id,
          JSON.stringify({ recipient: gone, said: `250 <${gone.toUpperCase()}> ok`, list: [{ to: gone }] }),
        ],
      );
    await database.query(
      `insert into postrider.email_facts (email_id, type, detail) values ($1, 'DELIVERED', '{"recipient": "three@example.net"}')`,
      [others],
    );
    expect(await journey.postrider.erase({ email: gone })).toMatchObject({ emails: 0, complete: true });
    expect(await dump(database)).not.toMatch(/(?<![a-z0-9.])named\.there@example\.com(?![a-z])/);
    for (const id of [waiting.emailId, shared, told, others])
      expect(await journey.eventTypes(id)).toContain('DELIVERED');
    const { rows } = await database.query<{ detail: object }>(
      `select detail from postrider.email_facts where email_id = any ($1::uuid[]) and type = 'DELIVERED'`,
      [[others]],
    );
    expect(rows).toEqual([{ detail: { recipient: 'three@example.net' } }]);
  });

  test('events that wait for the bus name the person → gone, whosever email they are about; others stay', async () => {
    const gone = 'on.the.bus@example.com';
    const mine = await ended({ to: gone, companyId: 'riding' });
    const others = await ended({ to: 'other@example.net', companyId: 'riding' });
    const abroad = await ended({ to: gone, companyId: 'walking' });
    const waits = async (tenant: string, emailId: string, data: object) => {
      await database.query(
        `insert into postrider.bus_events (tenant, type, email_id, payload) values ($1, 'DELIVERED', $2, $3::text::jsonb)`,
        [tenant, emailId, JSON.stringify({ created_at: 'now', data })],
      );
    };
    await waits('riding', mine, { about: 'nobody' });
    await waits('riding', others, { recipient: gone });
    await waits('riding', others, { said: [`<${gone.toUpperCase()}>`] });
    await waits('riding', others, { recipient: 'other@example.net' });
    await waits('riding', others, { recipient: `not.${gone}` });
    await waits('walking', abroad, { recipient: gone });
    const left = async () =>
      (
        await database.query<{ tenant: string; data: object }>(
          `select tenant, payload -> 'data' as data from postrider.bus_events order by id`,
        )
      ).rows;
    await journey.postrider.erase({ email: gone, companyId: 'riding' });
    expect(await left()).toEqual([
      { tenant: 'riding', data: { recipient: 'other@example.net' } },
      { tenant: 'riding', data: { recipient: `not.${gone}` } },
      { tenant: 'walking', data: { recipient: gone } },
    ]);
    await journey.postrider.erase({ email: gone });
    expect(await left()).toHaveLength(2);
  });

  test('within a company → another keeps its emails to the same address; without one → all go', async () => {
    const to = 'twice@example.com';
    const [ours, theirs] = [await ended({ to, companyId: 'ours' }), await ended({ to, companyId: 'theirs' })];
    expect(await journey.postrider.erase({ email: to, companyId: 'ours' })).toMatchObject({ emails: 1 });
    expect(await journey.postrider.get(ours)).toBeNull();
    expect(await journey.postrider.get(theirs)).not.toBeNull();
    expect(await journey.postrider.erase({ email: to })).toMatchObject({ emails: 1 });
    expect(await journey.postrider.get(theirs)).toBeNull();
  });

  test('an email to several that is left for some of them → goes on to the others; what other emails are left for stays', async () => {
    const { postrider } = journey;
    const someone = 'left-one@example.com';
    const others = ['left-two@example.com', 'left-three@example.com'];
    const toAll = { to: [someone, ...others], companyId: 'left', scheduledAt: later() };
    const mine = (await postrider.send(anEmail(toAll as never))).emailId;
    const next = (
      await postrider.send(anEmail({ to: others, companyId: 'left', scheduledAt: later() } as never))
    ).emailId;
    const remaining = async (id: string) =>
      (
        await database.query<{ remaining: string[] }>(
          'select to_json(remaining) as remaining from postrider.email_queue where id = $1',
          [id],
        )
      ).rows[0]?.remaining;
    const left: Array<[string, string]> = [
      [mine, `{${someone},${others[0]}}`],
      [next, `{${others[1]}}`],
    ];
    for (const [id, addresses] of left)
      await database.query('update postrider.email_queue set remaining = $2::text[] where id = $1', [
        id,
        addresses,
      ]);
    await postrider.erase({ email: someone, companyId: 'left' });
    expect(await remaining(mine)).toEqual([others[0]]);
    expect(await remaining(next)).toEqual([others[1]]);
    for (const id of [mine, next]) await postrider.cancel(id);
  });

  test('by external id → the person of that company, under all their addresses', async () => {
    const { recipients } = journey.postrider;
    for (const companyId of ['one', 'two'])
      await recipients.upsert([{ externalId: 'same', email: `same@${companyId}.example.com` }], {
        companyId,
      });
    const mine = await ended({ to: 'same@one.example.com', companyId: 'one' });
    const theirs = await ended({ to: 'same@two.example.com', companyId: 'two', userId: 'same' });
    expect(await journey.postrider.erase({ externalId: 'same', companyId: 'one' })).toMatchObject({
      emails: 1,
      recipients: 1,
    });
    expect(await journey.postrider.get(mine)).toBeNull();
    expect(await journey.postrider.get(theirs)).not.toBeNull();
    expect(await recipients.get({ externalId: 'same' }, { companyId: 'two' })).not.toBeNull();
  });

  test('an attempt is being made → said to be left; once it is over another run is complete', async () => {
    const { answer, held, open } = gate();
    const to = 'flying@example.com';
    journey.provider.script(to, answer);
    const { emailId } = await journey.postrider.send(anEmail({ to }));
    await held;
    expect(await journey.postrider.erase({ email: to })).toMatchObject({
      emails: 0,
      left: 1,
      complete: false,
    });
    open();
    await journey.untilStatus(emailId, 'sent');
    expect(await journey.postrider.erase({ email: to })).toMatchObject({
      emails: 1,
      left: 0,
      complete: true,
    });
  });

  test('waits for several people → goes to the others alone', async () => {
    const gone = 'gone@example.com';
    const { emailId } = await journey.postrider.schedule(
      anEmail({
        to: gone,
        cc: ['stays@example.net'],
        bcc: [gone.toUpperCase().replace('EXAMPLE.COM', 'example.com')],
      }),
      later(),
    );
    expect(await journey.postrider.erase({ email: gone })).toMatchObject({
      emails: 0,
      redacted: 1,
      complete: true,
    });
    await journey.hurry(emailId);
    await journey.untilStatus(emailId, 'sent');
    expect(journey.provider.callsFor(emailId).flatMap((call) => call.recipients)).toEqual([
      'stays@example.net',
    ]);
    expect(await dump(database)).not.toContain(gone);
  });

  test('only hidden recipients are left → they get it, and stay hidden', async () => {
    const gone = 'visible@example.com';
    const { emailId } = await journey.postrider.schedule(
      anEmail({ to: gone, bcc: ['hidden@example.net'] }),
      later(),
    );
    await journey.postrider.erase({ email: gone });
    await journey.hurry(emailId);
    await journey.untilStatus(emailId, 'sent');
    expect(journey.provider.callsFor(emailId)).toMatchObject([
      { to: 'erased@erased.invalid', recipients: ['hidden@example.net'] },
    ]);
  });

  test('killed after any step → repeated, it finishes', async () => {
    const to = 'resumed@example.com';
    for (let n = 0; n < 3; n++) await ended({ to });
    await journey.postrider.recipients.upsert([{ externalId: 'resumed', email: to }]);
    onKillPoint((place) => {
      if (place === 'erase:batch') throw new Error('killed');
    });
    await expect(journey.postrider.erase({ email: to })).rejects.toThrow('killed');
    onKillPoint(undefined);
    expect(await journey.postrider.erase({ email: to })).toMatchObject({ recipients: 1, complete: true });
    expect(await dump(database)).not.toContain(to);
  });

  test.each([
    [{}, 'email'],
    [{ email: 'a@example.com', externalId: 'x' }, 'email'],
    [{ externalId: 'x' }, 'companyId'],
    [{ email: 'nobody' }, 'email'],
    [{ emial: 'a@example.com' }, 'emial'],
    [{ email: 'a@example.com', companyId: '' }, 'companyId'],
  ])('%j → refused, naming %s', async (person, field) => {
    await expect(journey.postrider.erase(person as object)).rejects.toMatchObject({ field });
  });
});

describe('erasure on PGlite', () => {
  test('sent and waiting emails of a person → gone', async ({ onTestFinished }) => {
    const { postrider, close } = await openEmbedded();
    onTestFinished(close);
    const to = 'ann@example.com';
    await postrider.schedule(anEmail({ to }), new Date(Date.now() + 3_600_000));
    await postrider.schedule(anEmail({ cc: [to] }), new Date(Date.now() + 3_600_000));
    expect(await postrider.erase({ email: to })).toMatchObject({ emails: 1, cancelled: 1, redacted: 1 });
    expect(await dump(await postrider.ready())).not.toContain(to);
  });
});
