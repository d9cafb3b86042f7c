import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tallyEnds } from '../../src/outbox/index.js';
import type { Database } from '../../src/store/index.js';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { rejected, sent } from './ground/scripted-provider.js';

/** The log as operators and users read it, and its statistics. */
describe('email logs on PostgreSQL', () => {
  let journey: Journey;
  let database: Database;
  beforeAll(async () => {
    journey = await openJourney();
    database = await journey.postrider.ready();
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  async function ended(parts: object, ...outcomes: Array<typeof rejected>): Promise<string> {
    const email = anEmail(parts);
    if (outcomes.length > 0) journey.provider.script(email.to, ...outcomes, async ({ id }) => sent(id));
    const { emailId } = await journey.postrider.send(email);
    await journey.untilStatus(emailId, outcomes.length > 0 ? 'failed' : 'sent');
    return emailId;
  }
  /** Counts until everything that has ended is in the tallies. */
  async function tally(): Promise<void> {
    await waitFor(
      async () => {
        await tallyEnds(database, { behindMs: 0 });
        const { rows } = await database.query(
          `select 1 from postrider.email_tally_mark m
           where m.counted_until >= (select max(a.settled_at) from postrider.email_attempts a)`,
        );
        return rows.length > 0;
      },
      { timeoutMs: 10_000, what: 'the mark to pass' },
    );
  }

  test('statistics → the same before and after they are tallied, and once a dead letter is retried', async () => {
    const companyId = 'counted';
    for (let n = 0; n < 3; n++) await ended({ companyId, type: 'welcome_mail' });
    const dead = await ended({ companyId, type: 'welcome_mail' }, rejected);
    await ended({ companyId }, rejected);
    const before = {
      totalSent: 3,
      totalFailed: 2,
      failureRate: 40,
      byType: { welcome_mail: { sent: 3, failed: 1 }, '(none)': { sent: 0, failed: 1 } },
    };
    const read = () => journey.postrider.stats({ companyId });
    expect(await read()).toEqual(before);
    await tally();
    const { rows } = await database.query(
      `select sum(count)::int as all from postrider.email_tallies where tenant = 'counted'`,
    );
    expect(rows).toEqual([{ all: 5 }]);
    expect(await read()).toEqual(before);
    await journey.postrider.deadLetters.retry({ emailIds: [dead] });
    await journey.untilStatus(dead, 'sent');
    const after = { totalSent: 4, totalFailed: 1, failureRate: 20 };
    expect(await read()).toMatchObject(after);
    await tally();
    await tallyEnds(database, { behindMs: 0 });
    expect(await read()).toMatchObject(after);
    expect(await journey.postrider.stats({ companyId, type: 'welcome_mail' })).toMatchObject({
      totalSent: 4,
    });
    expect(await journey.postrider.stats({ companyId, provider: 'smtp' })).toMatchObject({ totalSent: 0 });
    expect(await journey.postrider.stats({ companyId, to: '2020-01-01' })).toMatchObject({ totalSent: 0 });
  });

  test('any stretch of time, of one company or of all → days, hours and minutes add up to what was tallied', async () => {
    const minutes = 60_000;
    const start = Math.floor(Date.now() / 86_400_000 - 20) * 86_400_000;
    const tallies = Array.from({ length: 600 }, (_, n) => ({
      at: start + ((n * 7919) % 900) * 5 * minutes,
      tenant: n % 3 === 0 ? 'spread-1' : 'spread-2',
      count: 1 + (n % 4),
    }));
    for (const half of [tallies.slice(0, 300), tallies.slice(300)])
      await database.query(
        `insert into postrider.email_tallies (bucket, tenant, type, provider, status, count)
         select b, t, 'spread', 'smtp', 'sent', sum(c) from unnest($1::timestamptz[], $2::text[], $3::int[]) x(b, t, c) group by 1, 2
         on conflict (bucket, tenant, type, provider, status) do update set count = email_tallies.count + excluded.count`,
        [
          half.map(({ at }) => new Date(at).toISOString()),
          half.map(({ tenant }) => tenant),
          half.map(({ count }) => count),
        ],
      );
    for (let n = 0; n < 24; n++) {
      const from = start + ((n * 131) % 500) * 5 * minutes;
      const to = from + (1 + ((n * 577) % 700)) * 5 * minutes;
      const range = { from: new Date(from), to: new Date(to), type: 'spread' };
      const within = tallies.filter(({ at }) => at >= from && at < to);
      const sum = (list: typeof tallies) => list.reduce((all, { count }) => all + count, 0);
      expect(await journey.postrider.stats(range)).toMatchObject({ totalSent: sum(within) });
      expect(await journey.postrider.stats({ ...range, companyId: 'spread-1' })).toMatchObject({
        totalSent: sum(within.filter(({ tenant }) => tenant === 'spread-1')),
      });
    }
  });

  test('five processes count at once → nothing is counted twice', async () => {
    for (let n = 0; n < 4; n++) await ended({ companyId: 'once' });
    await Promise.all(Array.from({ length: 5 }, () => tallyEnds(database, { behindMs: 0 })));
    await tally();
    expect(await journey.postrider.stats({ companyId: 'once' })).toMatchObject({ totalSent: 4 });
  });

  test('an address in other letters → found by its small and its large form, also among the statistics', async () => {
    const { emailId } = await journey.postrider.send(anEmail({ to: 'MÜLLER@Example.NET' }));
    await journey.untilStatus(emailId, 'sent');
    for (const recipient of ['müller@example.net', 'MÜLLER@EXAMPLE.NET', 'MÜLLER@Example.NET']) {
      const { emails } = await journey.postrider.list({ recipient });
      expect(emails.map(({ id }) => id)).toEqual([emailId]);
      expect(await journey.postrider.stats({ recipient })).toMatchObject({ totalSent: 1 });
    }
  });

  test('an operator’s page → every attempt with what the provider said, statistics, pages that follow', async () => {
    const companyId = 'operated';
    const ids = [];
    for (let n = 0; n < 3; n++) ids.unshift(await ended({ companyId, type: 'orders_mail' }, rejected));
    const page = await journey.postrider.log({ companyId, status: 'failed', limit: 2 });
    expect(page.emails.map((email) => email.id)).toEqual(ids.slice(0, 2));
    expect(page.emails[0]!.history).toMatchObject([
      {
        attempt: 1,
        status: 'failed',
        provider: 'scripted',
        errorCode: 'SMTP_550',
        errorMessage: 'no such user',
        detail: { response: '550 no such user' },
      },
    ]);
    expect(page.stats).toMatchObject({ totalFailed: 3, failureRate: 100 });
    const second = await journey.postrider.log({ companyId, status: 'failed', limit: 2, page: 2 });
    expect(second.emails.map((email) => email.id)).toEqual(ids.slice(2));
    const byCursor = await journey.postrider.log({ companyId, limit: 2, cursor: page.nextCursor! });
    expect(byCursor.emails.map((email) => email.id)).toEqual(ids.slice(2));
    const one = await journey.postrider.log({ recipient: page.emails[0]!.to });
    expect(one).toMatchObject({ emails: [{ id: ids[0] }], stats: { totalFailed: 1, totalSent: 0 } });
    await expect(journey.postrider.log({ page: 201 })).rejects.toMatchObject({ field: 'page' });
  });

  test('a user → only what they were sent, the latest first, with four fields', async () => {
    const user = { userId: 'u-7', companyId: 'app' };
    const subjects: string[] = [];
    for (let n = 0; n < 5; n++) {
      const subject = `For you ${n}`;
      await ended({ ...user, subject, type: 'note_mail' });
      subjects.unshift(subject);
    }
    await ended({ ...user, subject: 'failed' }, rejected);
    await ended({ ...user, companyId: 'other', subject: 'of another company' });
    await ended({ ...user, userId: 'u-8', subject: 'for another user' });
    const first = await journey.postrider.userEmails({ ...user, limit: 3 });
    expect(first).toMatchObject({ total: 5, page: 1, pages: 2 });
    expect(first.emails.map((email) => email.subject)).toEqual(subjects.slice(0, 3));
    expect(first.emails[0]).toEqual({
      subject: subjects[0],
      type: 'note_mail',
      sentAt: expect.stringMatching(/Z$/),
      status: 'sent',
    });
    const second = await journey.postrider.userEmails({ ...user, limit: 3, page: 2 });
    expect(second.emails.map((email) => email.subject)).toEqual(subjects.slice(3));
    expect(await journey.postrider.userEmails({ ...user, page: 9 })).toMatchObject({
      emails: [],
      total: 5,
      pages: 1,
    });
    expect(await journey.postrider.userEmails({ ...user, userId: 'nobody' })).toEqual({
      emails: [],
      total: 0,
      more: false,
      page: 1,
      pages: 0,
    });
  });
});
