import { setTimeout as pause } from 'node:timers/promises';
import { type Bench, Skipped } from '../bench.js';
import { openSender } from '../ground/open-sender.js';
import { peakMemoryMb } from '../ground/process-usage.js';
import { median, quantile } from '../ground/quantiles.js';
import { spawnScheduler } from '../ground/spawn-scheduler.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const PEOPLE = 100_000;

/** The weekly focus to 100,000 people while a worker delivers it, and password resets sent in between. */
export const campaign: Bench = {
  name: 'campaign',
  says: `the built-in weekly focus to ${PEOPLE.toLocaleString('en')} recipients, with password resets meanwhile`,
  async run({ openDatabase, progress }) {
    if (peakMemoryMb(process.pid) === null) throw new Skipped('there is no /proc to read');
    const database = await openDatabase();
    progress(`filling ${PEOPLE} recipients`);
    await database.client.query(FILL, [PEOPLE]);
    const worker = await spawnWorker({ database: database.url, sendMs: 2 });
    const sender = openSender(database.url);
    await sender.ready();
    const probes = new Map<string, number>();
    const waits: number[] = [];
    worker.on('probe', ({ to, at }) => {
      const askedAt = probes.get(to);
      if (askedAt !== undefined) waits.push(at - askedAt);
      probes.delete(to);
    });
    const scheduler = await spawnScheduler({ database: database.url });
    const ended = scheduler.run('weekly_focus', (queued) => progress(`${queued} of ${PEOPLE} queued`));
    let over = false;
    const finished = ended.finally(() => {
      over = true;
    });
    for (let n = 0; !over; n++) {
      const to = `probe-${n}@example.com`;
      const data = { name: 'Ada', resetUrl: 'https://app.example.com/reset/1', expiresInMinutes: 60 };
      probes.set(to, Number(process.hrtime.bigint()) / 1e6);
      await sender.send({ type: 'password_reset', to, data });
      await pause(50 + Math.random() * 50);
    }
    const { queued, ms } = await finished;
    while (probes.size > 0) await pause(20);
    const peak = peakMemoryMb(scheduler.pid) ?? Number.NaN;
    const { rows } = await database.client.query<{ people: string; emails: string }>(
      "select count(distinct recipient_id) as people, count(*) as emails from postrider.emails where type = 'weekly_focus'",
    );
    await scheduler.stop();
    await worker.kill();
    await sender.stop();
    return [
      {
        what: 'queued',
        value: queued / (ms / 1000),
        unit: 'emails/s',
        note: 'rendered, counted against limits, marked',
      },
      {
        what: 'emails beyond one per person',
        value: Number(rows[0]!.emails) - Number(rows[0]!.people),
        unit: 'emails',
        target: { atMost: 0 },
      },
      {
        what: 'people without one',
        value: PEOPLE - Number(rows[0]!.people),
        unit: 'people',
        target: { atMost: 0 },
      },
      { what: 'resident memory of the scheduler, peak', value: peak, unit: 'MB', target: { atMost: 200 } },
      {
        what: 'password reset meanwhile: send() → provider, p95',
        value: quantile(waits, 0.95),
        unit: 'ms',
        target: { atMost: 1000 },
        note: `${waits.length} of them; p50 ${median(waits).toFixed(1)} ms, longest ${Math.max(...waits).toFixed(0)} ms`,
      },
    ];
  },
};

const FILL = `
  insert into postrider.recipients (tenant, external_id, email, name, language, time_zone, account_type, preferences,
    streak_days, last_check_in_at, last_active_at)
  select 'tenant-' || n % 50, 'u' || n, 'person-' || n || '@example.com', 'Person ' || n,
    (array['en', 'de', 'ko'])[1 + n % 3], 'Europe/Berlin', 'trial', '{"weeklyFocus": true}', n % 12,
    now() - interval '1 day', now() - interval '1 day'
  from generate_series(1, $1::int) n`;
