import { describe, expect, it } from 'vitest';
import { createEmbeddedFolder, createTestDatabase, describeWith } from '../services/index.js';
import type { ChildOptions } from './ground/child.js';
import { spawnChild } from './ground/spawn-child.js';

/**
 * A process that dies while it accepts a batch with a key, of a type everybody gets once, for a company with a quota.
 * Whoever repeats the call, not knowing what became of it, has it accepted once and counted once.
 */
const PLACES = ['intake:before-write', 'intake:written', 'intake:remembered'];

const batch = (place: string) =>
  [1, 2, 3].map((n) => ({
    to: `${place.replace(':', '-')}-${n}@example.com`,
    subject: 'Welcome',
    text: 'Welcome',
    type: 'welcome',
    companyId: 'acme',
  }));

describeWith('postgres')('on PostgreSQL', () => {
  it('killed before the commit, or after it → the repeated call is accepted once, counted once', async ({
    onTestFinished,
  }) => {
    const store = await createTestDatabase();
    onTestFinished(() => store.drop());
    await dieAndRepeat(store.url);
  });
});

describe('on PGlite', () => {
  it('killed before the commit, or after it → the repeated call is accepted once, counted once', async ({
    onTestFinished,
  }) => {
    const { folder, remove } = await createEmbeddedFolder();
    onTestFinished(remove);
    await dieAndRepeat({ folder });
  });
});

async function dieAndRepeat(database: ChildOptions['database']): Promise<void> {
  const open = async (killAt?: string) => {
    const child = spawnChild({ database, smtpPort: 1, work: false, ...(killAt && { killAt }) });
    await child.next('ready');
    return child;
  };
  let child = await open();
  await child.query(
    "insert into postrider.quotas (tenant, period, max_emails) values ('acme', 'month', 100)",
  );
  await child.query(
    `insert into postrider.quota_shares (tenant, period, share, period_start, used)
     select 'acme', 'month', n, to_timestamp(0), 0 from generate_series(0, 127) n`,
  );
  await child.query('update postrider.policy_revision set revision = revision + 1');
  child.kill();
  await child.gone;

  for (const place of PLACES) {
    const dying = await open(place);
    dying.say({ do: 'send', emails: batch(place), idempotencyKey: place });
    expect(await dying.gone).toBe('SIGKILL');
    expect(dying.diedAt()).toBe(place);
  }

  const first = new Map<string, string[]>();
  child = await open();
  expect(await counts(child)).toEqual({ emails: 0, slots: 0, used: 0 });
  for (const place of PLACES) {
    const answer = child.next('accepted');
    child.say({ do: 'send', emails: batch(place), idempotencyKey: place });
    first.set(place, (await answer).ids);
  }
  // What it had answered is durable, whatever becomes of it then.
  child.kill();
  await child.gone;

  child = await open();
  for (const place of PLACES) {
    const answer = child.next('accepted');
    child.say({ do: 'send', emails: batch(place), idempotencyKey: place });
    expect((await answer).ids).toEqual(first.get(place));
  }
  expect(await counts(child)).toEqual({ emails: 9, slots: 9, used: 9 });
  child.kill();
  await child.gone;
}

async function counts(child: Awaited<ReturnType<typeof spawnChild>>): Promise<object | undefined> {
  const { rows } = await child.query<object>(
    `select (select count(*) from postrider.emails)::int as emails,
       (select count(*) from postrider.rate_limit_slots)::int as slots,
       (select sum(used) from postrider.quota_shares)::int as used`,
  );
  return rows[0];
}
