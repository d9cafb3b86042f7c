import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLedger, type Settlement } from '../../src/outbox/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** What is written for an attempt, whichever statement writes it. No worker runs: the claims are made by hand. */
describe('settling on PostgreSQL', () => {
  const WORKER = 1;
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
  });
  afterAll(() => journey.close());

  async function claimed(count: number): Promise<string[]> {
    const answers = await journey.postrider.sendBatch(Array.from({ length: count }, () => anEmail()));
    const ids = answers.map(({ emailId }) => emailId);
    await journey.pool.query(
      `update postrider.email_queue set owner = $1, token = 7, ready = false, begun = true, claimed_at = now()
       where id = any ($2::uuid[])`,
      [WORKER, ids],
    );
    return ids;
  }

  const ledger = async () =>
    createLedger(await journey.postrider.ready(), {
      worker: () => WORKER,
      pauses: () => Promise.reject(new Error('not asked for')),
    });

  const sent = (id: string, parts: Partial<Settlement> = {}): Settlement => ({
    ...{ id, token: 7, attempt: 1, status: 'sent', route: 'default', provider: 'smtp', purge: false },
    events: ['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'SENT'],
    ...{ offsetsMs: [0, 1.2, 2.5, 40.9], durationMs: 40.9, providerMessageId: 'ABC\u0000123' },
    ...{ errorCode: null, errorCategory: null, errorMessage: null, retryDelayMs: null, remaining: null },
    ...{ detail: { response: '250 "ok" \u0000\\ ü' }, possibleDuplicate: false, repeatableMs: null },
    ...parts,
  });

  const attempts = async (ids: string[]) =>
    (
      await journey.pool.query(
        `select attempt, token, status, final, events::text, offsets_ms, duration_ms, route, provider, worker,
           provider_message_id, error_code, error_category, error_message, next_attempt_at, detail,
           started_at is not null as started
         from postrider.email_attempts where email_id = any ($1::uuid[])`,
        [ids],
      )
    ).rows;

  test('a success among successes and one beside a failure → the same row', async () => {
    const [alone, beside, failing] = (await claimed(3)) as [string, string, string];
    const { settle } = await ledger();
    expect(await settle([sent(alone)])).toEqual(new Set([alone]));
    const failed = { status: 'failed', events: ['RECEIVED', 'FAILED'], offsetsMs: [0, 3] } as const;
    const mixed = [sent(beside), sent(failing, { ...failed, events: [...failed.events], offsetsMs: [0, 3] })];
    expect(await settle(mixed)).toEqual(new Set([beside, failing]));
    const [first] = await attempts([alone]);
    expect(first).toMatchObject({
      status: 'sent',
      offsets_ms: [0, 1, 2, 40],
      duration_ms: 41,
      worker: WORKER,
    });
    expect(await attempts([beside])).toEqual([first]);
    const left = await journey.pool.query('select 1 from postrider.email_queue');
    expect(left.rows).toEqual([]);
  });

  test('another token or another owner → nothing is written, and the row stays', async () => {
    const ids = (await claimed(3)) as [string, string, string];
    await journey.pool.query('update postrider.email_queue set owner = 99 where id = $1', [ids[1]]);
    const { settle } = await ledger();
    const settled = await settle([sent(ids[0], { token: 6 }), sent(ids[1]), sent(ids[2])]);
    expect(settled).toEqual(new Set([ids[2]]));
    expect(await attempts(ids)).toHaveLength(1);
    const { rows } = await journey.pool.query('select id from postrider.email_queue order by id');
    expect(rows.map(({ id }) => id)).toEqual([ids[0], ids[1]].sort());
  });
});
