import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** Which workers a commit wakes, and that an email waits for none of them. */
describeWith('postgres')('the wake-up of workers', () => {
  let journey: Journey;
  let listener: pg.Client;
  const heard: string[] = [];
  beforeAll(async () => {
    journey = await openJourney({ config: { worker: { pollIntervalMs: 3_600_000 } } });
    listener = new pg.Client({ connectionString: journey.url });
    listener.on('notification', ({ channel }) => heard.push(channel));
    await listener.connect();
    await listener.query('listen postrider_bell');
  });
  afterEach(async () => {
    await journey.pool.query('delete from postrider.workers');
  });
  afterAll(async () => {
    await listener?.end();
    await journey?.close();
  });

  /** Rows as live workers write them; nobody is behind them. Their next beat lies ahead, so that they stay alive. */
  async function register(count: number, how: { own?: boolean; busy?: boolean } = {}): Promise<number[]> {
    const { rows } = await journey.pool.query<{ id: number }>(
      `insert into postrider.workers (instance, host, pid, beat_at, own_channels, busy)
       select 'nobody', 'here', 1, now() + interval '1 hour', $2, $3 from generate_series(1, $1::int) returning id`,
      [count, how.own ?? true, how.busy ?? false],
    );
    for (const { id } of rows) {
      await listener.query(`listen postrider_bell_${id}`);
      await listener.query(`listen postrider_later_${id}`);
    }
    return rows.map(({ id }) => id);
  }

  async function heardOfOneEmail(): Promise<string[]> {
    heard.length = 0;
    await journey.postrider.send(anEmail());
    // In order: what was sent before this has arrived with it.
    await listener.query("select pg_notify('postrider_bell', '')");
    await waitFor(() => heard.at(-1) === 'postrider_bell', { timeoutMs: 10_000, what: 'the last one' });
    return heard.slice(0, -1);
  }

  test('eight workers → one is woken at once and another one for later, not all', async () => {
    const ids = await register(8);
    const channels = await heardOfOneEmail();
    expect(channels).toHaveLength(2);
    const [first, later] = channels.map((channel) => Number(/\d+$/.exec(channel)![0]));
    expect(channels).toEqual([`postrider_bell_${first}`, `postrider_later_${later}`]);
    expect(first).not.toBe(later);
    expect(ids).toEqual(expect.arrayContaining([first, later]));
  });

  test('all but two workers are busy → those two are woken', async () => {
    await register(6, { busy: true });
    const free = await register(2);
    for (let n = 0; n < 5; n++) {
      const channels = await heardOfOneEmail();
      expect(channels.map((channel) => Number(/\d+$/.exec(channel)![0])).sort((a, b) => a - b)).toEqual(free);
    }
  });

  test('one worker → woken alone; none, or one of older code among them → all are', async () => {
    const [only] = await register(1);
    expect(await heardOfOneEmail()).toEqual([`postrider_bell_${only}`]);
    await register(1, { own: false });
    expect(await heardOfOneEmail()).toEqual(['postrider_bell']);
    await journey.pool.query('delete from postrider.workers');
    expect(await heardOfOneEmail()).toEqual(['postrider_bell']);
  });

  test('a caller that may only insert → the workers are woken all the same', async () => {
    const [only] = await register(1);
    const caller = await journey.pool.connect();
    heard.length = 0;
    try {
      await caller.query('begin');
      await caller.query('create role only_inserts');
      await caller.query('grant usage on schema postrider to only_inserts');
      await caller.query('grant insert on postrider.email_queue to only_inserts');
      await caller.query('set local role only_inserts');
      await caller.query(
        `insert into postrider.email_queue (id, max_attempts, priority, ready, bell, route, tenant)
         values ('01900000-0000-7000-8000-000000000001', 1, 3, true, true, 'nowhere', 't')`,
      );
      await caller.query('set constraints all immediate');
      await caller.query('reset role');
      await caller.query('drop owned by only_inserts');
      await caller.query('drop role only_inserts');
      await caller.query('delete from postrider.email_queue');
      await caller.query('commit');
    } finally {
      caller.release(true);
    }
    await waitFor(() => heard.length > 0, { timeoutMs: 10_000, what: 'the bell' });
    expect(heard).toEqual([`postrider_bell_${only}`]);
  });

  test('the workers that are woken are dead or frozen → another one sends the email without waiting for its poll', async () => {
    await journey.postrider.start();
    await register(12);
    for (let n = 0; n < 4; n++) {
      const { emailId } = await journey.postrider.transaction((tx) =>
        journey.postrider.send(anEmail(), { tx }),
      );
      await journey.untilStatus(emailId, 'sent');
    }
    await journey.postrider.stop();
  });
});
