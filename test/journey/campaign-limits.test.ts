import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPostrider, defineEmail, defineSchedule, type Postrider } from '../../src/index.js';
import { createLogger, newId } from '../../src/kernel/index.js';
import { createTestDatabase, type TestDatabase, waitFor } from '../services/index.js';
import { awayFromWindowEnd } from './ground/away-from-window-end.js';
import { scriptedProvider } from './ground/scripted-provider.js';

beforeEach(() => awayFromWindowEnd(), 30_000);

/** Which of two rules holds back a campaign's email: the schedule's "not again", or the limit of the type. */
const ZONE = 'America/New_York';
// Seven in the evening, the day before the clocks go forward and that day: both are 8 March in UTC.
const DAY_BEFORE = '2026-03-08T00:00:00Z';
const DAY_OF_CHANGE = '2026-03-08T23:00:00Z';

const rare = defineEmail({
  type: 'rare',
  portal: 'app',
  category: 'news',
  data: z.strictObject({}),
  sample: {},
  content: { subject: 'Rare', html: '{{> paragraph text="Rare."}}' },
  rateLimit: { limit: 1, windowSeconds: 30 * 86_400 },
});

const daily = (name: string, email: object) =>
  defineSchedule({
    name,
    cron: null,
    timeZone: ZONE,
    campaign: { audience: { companyId: name }, notAgainForDays: 1, email: () => email },
  });

describe('limits of campaigns', () => {
  let store: TestDatabase;
  let postrider: Postrider;
  beforeAll(async () => {
    store = await createTestDatabase();
    postrider = createPostrider({
      database: store.url,
      provider: scriptedProvider(),
      from: { address: 'noreply@example.com' },
      logger: createLogger({ level: 'silent' }),
      types: [rare],
      schedules: [
        daily('reminded', { type: 'checkin_reminder', data: { streakDays: 2 } }),
        daily('restrained', { type: 'checkin_reminder', data: { streakDays: 2 } }),
        daily('welcomed', { type: 'welcome', data: { name: 'Ada' } }),
        daily('spared', { type: 'rare', data: {} }),
      ],
    });
    await postrider.schedules.start();
    await waitFor(async () => (await postrider.schedules.list()).length === 8, {
      timeoutMs: 20_000,
      what: 'the schedules',
    });
  });
  afterAll(async () => {
    await postrider.stop({ deadlineMs: 2000 });
    await store.drop();
  });

  /** Both days, one after the other, as they would be made up for. */
  async function runBothDays(name: string) {
    await postrider.recipients.upsert([{ email: `${name}@example.com`, timeZone: ZONE }], {
      companyId: name,
    });
    const database = await postrider.ready();
    for (const slot of [DAY_BEFORE, DAY_OF_CHANGE])
      await database.query(
        'insert into postrider.schedule_runs (id, schedule, zone, slot) values ($1, $2, $3, $4)',
        [...[newId(), name, ZONE, slot]],
      );
    return waitFor(
      async () => {
        const runs = await postrider.schedules.runs(name);
        return runs.every(({ state }) => state === 'done') && runs.toReversed();
      },
      { timeoutMs: 30_000, what: `both runs of ${name}` },
    );
  }

  test('two local days that are one day in UTC → one email each; the window counts as full for everyone else', async () => {
    expect(await runBothDays('reminded')).toMatchObject([
      { queued: 1, skipped: {} },
      { queued: 1, skipped: {} },
    ]);
    const person = { address: 'reminded@example.com', type: 'checkin_reminder', companyId: 'reminded' };
    expect(await postrider.rateLimits.check(person)).toMatchObject({ allowed: false, remaining: 0 });
  });

  test('a limit that an operator set → holds for campaigns too', async () => {
    const type = 'checkin_reminder';
    await postrider.rateLimits.set({ type, limit: 1, windowSeconds: null, companyId: 'restrained' });
    expect(await runBothDays('restrained')).toMatchObject([
      { queued: 1, skipped: {} },
      { queued: 0, skipped: { rate_limited: 1 } },
    ]);
  });

  test.each([
    ['welcomed', 'once and for all'],
    ['spared', 'less often than the schedule fires'],
  ])('%s: a type that is sent %s → its limit holds', async (name) => {
    expect(await runBothDays(name)).toMatchObject([
      { queued: 1, skipped: {} },
      { queued: 0, skipped: { rate_limited: 1 } },
    ]);
  });
});
