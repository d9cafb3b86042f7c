import { expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { openEmbedded } from './ground/open-embedded.js';

/** The same schedules on the embedded store, where everything shares one connection. */
test('weekly focus run by hand on PGlite → people who asked for it get one, and it is sent', async ({
  onTestFinished,
}) => {
  const { postrider, provider, close } = await openEmbedded();
  onTestFinished(close);
  await postrider.recipients.upsert([
    {
      email: 'ada@example.com',
      accountType: 'trial',
      timeZone: 'Europe/Berlin',
      preferences: { weeklyFocus: true },
    },
    {
      email: 'bob@example.com',
      accountType: 'trial',
      timeZone: 'Asia/Tokyo',
      preferences: { weeklyFocus: true },
    },
    { email: 'eve@example.com', accountType: 'trial', preferences: { weeklyFocus: false } },
  ]);
  await postrider.recipients.reportActivity({ email: 'ada@example.com' }, { kind: 'meeting' });
  await postrider.start();
  await postrider.schedules.start();
  const started = await postrider.schedules.runNow('weekly_focus');
  expect(started.map(({ zone }) => zone).sort()).toEqual(['Asia/Tokyo', 'Europe/Berlin', 'UTC']);
  const runs = await waitFor(
    async () => {
      const seen = await postrider.schedules.runs('weekly_focus');
      return seen.every(({ state }) => state === 'done') && seen;
    },
    { timeoutMs: 20_000, what: 'the runs to end' },
  );
  const all = runs.map(({ queued, skipped, errorCount }) => ({ queued, skipped, errorCount }));
  expect(all.filter(({ queued }) => queued === 1)).toHaveLength(2);
  expect(all).toContainEqual({ queued: 0, skipped: { opted_out: 1 }, errorCount: 0 });
  await waitFor(() => provider.calls.length === 2, { timeoutMs: 10_000, what: 'both to be sent' });
  const subjects = Object.fromEntries(provider.calls.map(({ to, subject }) => [to, subject]));
  expect(subjects['ada@example.com']).not.toBe(subjects['bob@example.com']);
  const again = await postrider.schedules.runNow('weekly_focus');
  await waitFor(
    async () => {
      const ids = again.map(({ runId }) => runId);
      const seen = await postrider.schedules.runs('weekly_focus');
      return seen.filter(({ runId }) => ids.includes(runId)).every(({ state }) => state === 'done');
    },
    { timeoutMs: 20_000, what: 'the second runs to end' },
  );
  const sum = (await postrider.schedules.runs('weekly_focus')).reduce(
    (total, { queued }) => total + queued,
    0,
  );
  expect(sum).toBe(2);
});
