import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { gate } from './ground/scripted-provider.js';

/** Many waiting emails taken back by a filter, beside workers that go on sending the others. */
describe('bulk cancel on PostgreSQL', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
  });
  afterAll(() => journey.close());

  const later = () => new Date(Date.now() + 3_600_000);
  async function waiting(parts: object, count = 1): Promise<string[]> {
    const emails = Array.from({ length: count }, () => ({ ...anEmail(parts), scheduledAt: later() }));
    return (await journey.postrider.sendBatch(emails)).map(({ emailId }) => emailId);
  }
  const statusOf = async (id: string) => (await journey.postrider.get(id))?.status;

  test('dry run → counts and leaves them; then cancelled, each with its fact; again → none', async () => {
    const ids = await waiting({ companyId: 'dry', type: 'digest' }, 3);
    const [other] = await waiting({ companyId: 'dry', type: 'receipt' });
    const filter = { companyId: 'dry', type: 'digest' };
    expect(await journey.postrider.cancelMany(filter, { dryRun: true })).toEqual({
      matching: 3,
      cancelled: 0,
      dryRun: true,
    });
    expect(await statusOf(ids[0]!)).toBe('scheduled');
    expect(await journey.postrider.cancelMany(filter, { by: 'ada' })).toMatchObject({ cancelled: 3 });
    for (const id of ids) expect(await statusOf(id)).toBe('cancelled');
    expect((await journey.postrider.timeline(ids[0]!)).at(-1)).toMatchObject({
      type: 'CANCELLED',
      metadata: { by: 'ada', bulk: true },
    });
    expect(await statusOf(other!)).toBe('scheduled');
    expect(await journey.postrider.cancelMany(filter)).toMatchObject({ matching: 0, cancelled: 0 });
  });

  test('by recipient, by status, by time → only those', async () => {
    const [mine, theirs] = await waiting({ companyId: 'narrow' }, 2);
    const recipient = (await journey.postrider.get(mine!))!.to;
    expect(await journey.postrider.cancelMany({ recipient: recipient.toUpperCase() })).toMatchObject({
      cancelled: 1,
    });
    expect(await statusOf(theirs!)).toBe('scheduled');
    const count = async (filter: object) =>
      (await journey.postrider.cancelMany({ companyId: 'narrow', ...filter }, { dryRun: true })).matching;
    expect(await count({ status: 'pending' })).toBe(0);
    expect(await count({ status: 'scheduled' })).toBe(1);
    expect(await count({ to: new Date(Date.now() - 60_000) })).toBe(0);
    expect(await count({ from: new Date(Date.now() - 60_000) })).toBe(1);
  });

  test('more than a batch, under a working worker → every one ends either cancelled or sent, never both', async () => {
    const emails = Array.from({ length: 2500 }, () => anEmail({ companyId: 'race' }));
    const accepted = (
      await Promise.all(
        [0, 1, 2].map((part) => journey.postrider.sendBatch(emails.slice(part * 900, part * 900 + 900))),
      )
    ).flat();
    await journey.postrider.start();
    const { cancelled } = await journey.postrider.cancelMany({ companyId: 'race' });
    await waitFor(
      async () =>
        (await journey.pool.query("select 1 from postrider.email_queue where tenant = 'race'")).rowCount ===
        0,
      { timeoutMs: 30_000, what: 'the rest to be sent' },
    );
    const { rows } = await journey.pool.query<{ status: string; count: number }>(
      `select status::text, count(*)::int from postrider.email_logs where company_id = 'race' group by 1`,
    );
    const counts = Object.fromEntries(rows.map((row) => [row.status, row.count]));
    expect((counts.cancelled ?? 0) + (counts.sent ?? 0)).toBe(accepted.length);
    expect(counts.cancelled ?? 0).toBe(cancelled);
    const { rows: both } = await journey.pool.query(
      `select f.email_id from postrider.email_facts f join postrider.email_attempts a using (email_id)
       where f.type = 'CANCELLED' and a.status = 'sent'`,
    );
    expect(both).toEqual([]);
  });

  test('an attempt has begun → left alone', async () => {
    const { answer, held, open } = gate();
    const email = anEmail({ companyId: 'begun' });
    journey.provider.script(email.to, answer);
    const { emailId } = await journey.postrider.send(email);
    await held;
    expect(await journey.postrider.cancelMany({ companyId: 'begun' })).toMatchObject({
      matching: 0,
      cancelled: 0,
    });
    open();
    await journey.untilStatus(emailId, 'sent');
  });

  test('an empty filter, a misspelt one, an ended status → refused, naming the field', async () => {
    await expect(journey.postrider.cancelMany({})).rejects.toMatchObject({ field: 'status' });
    await expect(journey.postrider.cancelMany({ tpye: 'x' } as object)).rejects.toMatchObject({
      field: 'tpye',
    });
    await expect(journey.postrider.cancelMany({ status: 'sent' } as object)).rejects.toMatchObject({
      field: 'status',
    });
  });
});
