import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/kernel/index.js';
import { prune } from '../../src/outbox/index.js';
import type { Database } from '../../src/store/index.js';
import { compiled, openEmbedded } from './ground/open-embedded.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** Old emails go by the week, waiting ones stay. Time is moved by ids of past weeks. */
describe('retention on PostgreSQL', () => {
  const DAY = 86_400_000;
  const RETENTION = { contentDays: 30, logDays: 90 };
  let journey: Journey;
  let database: Database;
  beforeAll(async () => {
    journey = await openJourney();
    database = await journey.postrider.ready();
  });
  afterAll(() => journey.close());

  /** Monday of the week that was this many days ago, as the partitions are named. */
  const weekOf = (daysAgo: number) => {
    const day = new Date(Date.now() - daysAgo * DAY);
    day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
    return day.toISOString().slice(0, 10);
  };

  async function makeWeek(monday: string): Promise<string> {
    const suffix = monday.replaceAll('-', '');
    for (const parent of ['emails', 'email_bodies', 'email_attempts', 'email_facts']) {
      await database.query(`create table if not exists postrider.${parent}_${suffix}
        (like postrider.${parent} including all)`);
      const { rows } = await database.query('select 1 from pg_inherits where inhrelid = $1::regclass', [
        `postrider.${parent}_${suffix}`,
      ]);
      if (rows.length > 0) continue;
      const { rows: bounds } = await database.query<{ low: string; high: string }>(
        "select postrider.id_floor($1::timestamptz) as low, postrider.id_floor($1::timestamptz + interval '7 days') as high",
        [`${monday}T00:00:00Z`],
      );
      await database.query(
        `alter table postrider.${parent} attach partition postrider.${parent}_${suffix}
         for values from ('${bounds[0]!.low}') to ('${bounds[0]!.high}')`,
      );
    }
    return suffix;
  }

  /** An email accepted in the past: moved there by its id; ended as said, or still waiting. */
  async function emailOf(acceptedDaysAgo: number, endedDaysAgo: number | null): Promise<string> {
    const { emailId } = await journey.postrider.schedule(anEmail(), new Date(Date.now() + 3_600_000));
    const at = Date.now() - acceptedDaysAgo * DAY;
    // newId never goes back within a process, so an id of the past is made by its own hand
    const id = (at.toString(16).padStart(12, '0') + newId().replaceAll('-', '').slice(12)).replace(
      /^(.{8})(.{4})(.{4})(.{4})(.{12})$/,
      '$1-$2-$3-$4-$5',
    );
    await database.query('update postrider.emails set id = $2, created_at = $3 where id = $1', [
      emailId,
      id,
      new Date(at).toISOString(),
    ]);
    await database.query('update postrider.email_bodies set email_id = $2 where email_id = $1', [
      emailId,
      id,
    ]);
    await database.query('update postrider.email_queue set id = $2 where id = $1', [emailId, id]);
    if (endedDaysAgo !== null) {
      await database.query('delete from postrider.email_queue where id = $1', [id]);
      const ended = new Date(Date.now() - endedDaysAgo * DAY).toISOString();
      await database.query(
        `insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms,
           started_at, duration_ms, route, worker, settled_at)
         values ($1, 1, 1, 'sent', true, '{RECEIVED,SENT}', '{0,1}', $2, 1, 'default', 1, $2)`,
        [id, ended],
      );
    }
    return id;
  }

  const has = async (table: string, id: string) => {
    const key = table === 'emails' ? 'id' : 'email_id';
    return (await database.query(`select 1 from postrider.${table} where ${key} = $1`, [id])).rows.length > 0;
  };
  const partitions = async (parent: string) =>
    (
      await database.query<{ name: string }>(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = $1::regclass order by 1`,
        [`postrider.${parent}`],
      )
    ).rows.map(({ name }) => name);

  test('a fresh schema → partitions from last week to four weeks ahead, of all four tables', async () => {
    const weeks = [-7, 0, 7, 14, 21, 28].map((days) => weekOf(-days).replaceAll('-', ''));
    for (const parent of ['emails', 'email_bodies', 'email_attempts', 'email_facts']) {
      const made = await partitions(parent);
      expect(made).toEqual(expect.arrayContaining(weeks.map((week) => `${parent}_${week}`)));
    }
    const { emailId } = await journey.postrider.schedule(anEmail(), new Date(Date.now() + 3_600_000));
    const { rows } = await database.query(
      'select tableoid::regclass::text as name from postrider.emails where id = $1',
      [emailId],
    );
    expect(rows).toEqual([{ name: `postrider.emails_${weekOf(0).replaceAll('-', '')}` }]);
  });

  test('a body of 2,500 characters → kept in its row, not in one aside', async () => {
    const words = (count: number) =>
      Array.from({ length: count }, (_, at) => ((at * 7919) % 46_655).toString(36).padStart(4, '0')).join(
        ' ',
      );
    const aside = async () => {
      const { rows } = await database.query<{ bytes: number }>(
        `select sum(pg_relation_size(c.reltoastrelid))::int as bytes
         from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = 'postrider.email_bodies'::regclass`,
      );
      return rows[0]!.bytes;
    };
    const before = await aside();
    await journey.postrider.schedule(anEmail({ text: words(500) }), new Date(Date.now() + 3_600_000));
    expect(await aside()).toBe(before);
    await journey.postrider.schedule(anEmail({ text: words(5000) }), new Date(Date.now() + 3_600_000));
    expect(await aside()).toBeGreaterThan(before);
  });

  test('a week without a partition that already has emails → made, and its emails moved into it', async () => {
    const ahead = weekOf(-28).replaceAll('-', '');
    for (const parent of ['emails', 'email_bodies', 'email_attempts', 'email_facts']) {
      await database.query(`drop table postrider.${parent}_${ahead}`);
    }
    const id = await emailOf(-28, null);
    expect((await prune(database, RETENTION)).partitionsMade).toBe(4);
    const { rows } = await database.query(
      'select tableoid::regclass::text as name from postrider.emails where id = $1',
      [id],
    );
    expect(rows).toEqual([{ name: `postrider.emails_${ahead}` }]);
    expect(await has('email_bodies', id)).toBe(true);
    expect((await prune(database, RETENTION)).partitionsMade).toBe(0);
    const { rows: options } = await database.query(
      'select distinct c.reloptions::text as says from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass',
      ['postrider.email_bodies'],
    );
    expect(options).toEqual([{ says: '{toast_tuple_target=4080}' }]);
  });

  test('a week that ended 40 days ago → bodies dropped, logs kept', async () => {
    const week = await makeWeek(weekOf(50));
    const id = await emailOf(48, 45);
    const pruned = await prune(database, RETENTION);
    expect(pruned.partitionsDropped).toContain(`email_bodies_${week}`);
    expect(pruned.partitionsDropped).not.toContain(`emails_${week}`);
    expect(await has('email_bodies', id)).toBe(false);
    expect(await journey.postrider.get(id)).toMatchObject({ status: 'sent' });
    expect(await partitions('email_bodies')).not.toContain(`email_bodies_${week}`);
  });

  test('a week that ended 100 days ago → the whole week is dropped', async () => {
    const week = await makeWeek(weekOf(115));
    const id = await emailOf(113, 110);
    const pruned = await prune(database, RETENTION);
    for (const parent of ['emails', 'email_bodies', 'email_attempts', 'email_facts']) {
      expect(await partitions(parent)).not.toContain(`${parent}_${week}`);
      expect(pruned.partitionsDropped).toContain(`${parent}_${week}`);
    }
    expect(await journey.postrider.get(id)).toBeNull();
  });

  test('one email of an old week still waits → it stays whole, the rest of the week goes', async () => {
    const week = await makeWeek(weekOf(150));
    const waiting = await emailOf(148, null);
    const ended = await emailOf(148, 147);
    const pruned = await prune(database, RETENTION);
    expect(pruned.partitionsDropped).not.toContain(`emails_${week}`);
    expect(pruned.rowsDeleted).toBeGreaterThanOrEqual(3);
    expect(await has('email_bodies', waiting)).toBe(true);
    expect(await journey.postrider.get(waiting)).toMatchObject({ status: 'scheduled' });
    expect(await journey.postrider.get(ended)).toBeNull();
    for (const table of ['emails', 'email_bodies', 'email_attempts']) {
      expect(await has(table, ended), table).toBe(false);
    }
  });

  test('accepted long ago and ended yesterday → kept: the time counts from the end', async () => {
    await makeWeek(weekOf(200));
    const id = await emailOf(198, 1);
    await prune(database, RETENTION);
    expect(await has('email_bodies', id)).toBe(true);
    expect(await journey.postrider.get(id)).toMatchObject({ status: 'sent' });
  });

  test.each([
    ['CANCELLED', 'cancelled'],
    ['EXPIRED', 'expired'],
    ['SUPPRESSED', 'suppressed'],
  ])(
    'accepted long ago and %s → the time counts from then, for its content as for the rest',
    async (type, status) => {
      const endedBy = async (acceptedDaysAgo: number, endedDaysAgo: number) => {
        const id = await emailOf(acceptedDaysAgo, null);
        await database.query('delete from postrider.email_queue where id = $1', [id]);
        await database.query(
          `insert into postrider.email_facts (email_id, type, final_status, created_at)
         values ($1, $2::text::postrider.event_type, $3::text::postrider.email_status, $4)`,
          [id, type, status, new Date(Date.now() - endedDaysAgo * DAY).toISOString()],
        );
        return id;
      };
      // Outside any week, where rows are judged one by one; the others keep a week of theirs alive.
      const yesterday = await endedBy(420, 1);
      const lastMonth = await endedBy(420, 45);
      const longAgo = await endedBy(420, 100);
      await prune(database, RETENTION);
      const kept = async (id: string) => [
        await has('email_bodies', id),
        await has('email_facts', id),
        await has('emails', id),
      ];
      expect(await kept(yesterday)).toEqual([true, true, true]);
      expect(await kept(lastMonth)).toEqual([false, true, true]);
      expect(await kept(longAgo)).toEqual([false, false, false]);
      expect(await journey.postrider.get(yesterday)).toMatchObject({ status });
    },
  );

  test('an old email outside any week → deleted row by row', async () => {
    const id = await emailOf(400, 395);
    await prune(database, RETENTION);
    for (const table of ['emails', 'email_bodies', 'email_attempts']) {
      expect(await has(table, id), table).toBe(false);
    }
  });

  test('a caller holds an open transaction with an email → partitions are made all the same', async () => {
    const client = await journey.pool.connect();
    try {
      await client.query('begin');
      await journey.postrider.send(anEmail(), { tx: client });
      const ahead = weekOf(-28).replaceAll('-', '');
      // Accepting touches every other table of the ledger, and dropping would wait for it.
      await database.query(`drop table postrider.email_attempts_${ahead}`);
      expect((await prune(database, RETENTION)).partitionsMade).toBe(1);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  test('a session that looks at the ledger for long → its weeks are postponed, and a send waits for no more than a moment', async () => {
    const week = await makeWeek(weekOf(220));
    await emailOf(218, 217);
    const reader = await journey.pool.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from postrider.emails');
      const waits: number[] = [];
      let over = false;
      const sending = (async () => {
        while (!over) {
          const before = performance.now();
          await journey.postrider.schedule(anEmail(), new Date(Date.now() + 3_600_000));
          waits.push(performance.now() - before);
        }
      })();
      const pruned = await prune(database, RETENTION);
      over = true;
      await sending;
      expect(pruned.partitionsPostponed).toContain(week);
      expect(pruned.partitionsDropped).not.toContain(`emails_${week}`);
      expect(Math.max(...waits)).toBeLessThan(5000);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    expect((await prune(database, RETENTION)).partitionsDropped).toContain(`emails_${week}`);
  });

  test('a week taken out by a run that died → dropped by the next; one a person detached → kept', async () => {
    const [dead, kept] = [await makeWeek(weekOf(300)), await makeWeek(weekOf(330))];
    await database.query(`alter table postrider.emails detach partition postrider.emails_${dead}`);
    await database.query(`alter table postrider.emails_${dead} rename to emails_${dead}_retired`);
    await database.query(`alter table postrider.emails detach partition postrider.emails_${kept}`);
    await prune(database, RETENTION);
    const exists = async (name: string) =>
      (await database.query('select to_regclass($1) is not null as yes', [`postrider.${name}`])).rows[0];
    expect(await exists(`emails_${dead}_retired`)).toEqual({ yes: false });
    expect(await exists(`emails_${kept}`)).toEqual({ yes: true });
  });

  test('bodies of sent emails kept for hours → gone after them, those of the others stay', async () => {
    const [sent, fresh, waiting] = [await emailOf(3, 2), await emailOf(3, 0), await emailOf(3, null)];
    await prune(database, { ...RETENTION, sentBodyHours: 24 });
    expect(await has('email_bodies', sent)).toBe(false);
    expect(await has('emails', sent)).toBe(true);
    expect(await has('email_bodies', fresh)).toBe(true);
    expect(await has('email_bodies', waiting)).toBe(true);
  });

  test('sensitive and not sent → its body is gone when nobody can try it again, and not before', async () => {
    const HOUR = 3_600_000;
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR).toISOString();
    async function sensitive(expiresInHours: number | null = null): Promise<string> {
      const { emailId } = await journey.postrider.schedule(
        anEmail({ type: 'org_invite' }),
        new Date(Date.now() + HOUR),
      );
      if (expiresInHours !== null)
        await database.query('update postrider.emails set expires_at = $2 where id = $1', [
          emailId,
          at(-expiresInHours),
        ]);
      return emailId;
    }
    async function failed(id: string, hoursAgo: number, status = 'failed'): Promise<string> {
      await database.query('delete from postrider.email_queue where id = $1', [id]);
      await database.query(
        `insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms,
           started_at, duration_ms, route, worker, settled_at)
         values ($1, 1, 1, $3, true, '{RECEIVED,FAILED}', '{0,1}', $2, 1, 'default', 1, $2)`,
        [id, at(hoursAgo), status],
      );
      return id;
    }
    const goes = {
      failedLongAgo: await failed(await sensitive(), 25),
      unknownLongAgo: await failed(await sensitive(), 25, 'unknown'),
      failedAndExpired: await failed(await sensitive(-0.1), 1),
      discarded: await failed(await sensitive(), 1),
      cancelled: await sensitive(),
    };
    await journey.postrider.deadLetters.discard({ emailIds: [goes.discarded] });
    await journey.postrider.cancel(goes.cancelled);
    const stays = {
      failedLately: await failed(await sensitive(), 23),
      notYetExpired: await failed(await sensitive(1), 1),
      waiting: await sensitive(),
      triedAgain: await failed(await sensitive(), 23),
    };
    expect(await journey.postrider.deadLetters.retry({ emailIds: [stays.triedAgain] })).toMatchObject({
      retried: 1,
    });
    const ordinary = await emailOf(2, null);
    await failed(ordinary, 25);
    await prune(database, { ...RETENTION, sensitiveBodyHours: 24 });
    const kept = async (ids: object) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(ids).map(async ([name, id]) => [name, await has('email_bodies', id)] as const),
        ),
      );
    expect(await kept(goes)).toEqual(Object.fromEntries(Object.keys(goes).map((name) => [name, false])));
    expect(await kept({ ...stays, ordinary })).toEqual(
      Object.fromEntries([...Object.keys(stays), 'ordinary'].map((name) => [name, true])),
    );
    expect(await journey.postrider.deadLetters.retry({ emailIds: [goes.failedLongAgo] })).toMatchObject({
      retried: 0,
      refused: { 'content-gone': 1 },
    });
  });

  test('more old emails than a step takes, some of them waiting → all but those go', async () => {
    const waiting = await emailOf(500, null);
    await database.query(
      `with made as (
         insert into postrider.emails (id, tenant, to_address, subject, message, priority, retry, max_attempts, route, request_id)
         select (lpad(to_hex((extract(epoch from now() - interval '500 days') * 1000)::bigint + n), 12, '0')
           || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, 'old', 'a@example.net', 's', '{}', 3, 'gateway', 1, 'default', 'r'
         from generate_series(1, 2500) n returning id
       ), bodies as (
         insert into postrider.email_bodies (email_id, html, text) select id, 'h', 't' from made
       )
       insert into postrider.email_facts (email_id, type, final_status, created_at)
       select id, type, status, now() - interval '499 days' from made,
         (values ('RELEASED'::postrider.event_type, null), ('EXPIRED', 'expired'::postrider.email_status)) f(type, status)`,
    );
    await prune(database, RETENTION);
    const { rows } = await database.query(
      "select count(*)::int as left from postrider.emails where tenant = 'old'",
    );
    expect(rows).toEqual([{ left: 0 }]);
    const { rows: facts } = await database.query(
      `select count(*)::int as left from postrider.email_facts f
       where not exists (select 1 from postrider.emails e where e.id = f.email_id)`,
    );
    expect(facts).toEqual([{ left: 0 }]);
    expect(await has('email_bodies', waiting)).toBe(true);
  });
});

describe('retention on PGlite', () => {
  test('an old week in which nothing waits → dropped; a waiting email of this week → kept', async ({
    onTestFinished,
  }) => {
    const { postrider, close } = await openEmbedded();
    onTestFinished(close);
    const database = await postrider.ready();
    const { emailId } = await postrider.schedule(anEmail(), new Date(Date.now() + 3_600_000));
    const monday = (
      await database.query<{ week: string; starts: string }>(
        `select to_char(w, 'YYYYMMDD') as week, w::text as starts
       from (select date_trunc('week', now() at time zone 'UTC') - interval '140 days' as w) x`,
      )
    ).rows[0]!;
    for (const parent of ['emails', 'email_bodies', 'email_attempts', 'email_facts']) {
      await database.query(
        `create table postrider.${parent}_${monday.week} (like postrider.${parent} including all)`,
      );
      const { rows } = await database.query<{ low: string; high: string }>(
        `select postrider.id_floor($1::timestamp at time zone 'UTC') as low,
           postrider.id_floor(($1::timestamp + interval '7 days') at time zone 'UTC') as high`,
        [monday.starts],
      );
      await database.query(`alter table postrider.${parent} attach partition postrider.${parent}_${monday.week}
        for values from ('${rows[0]!.low}') to ('${rows[0]!.high}')`);
    }
    const { prune: compiledPrune } =
      await compiled<typeof import('../../src/outbox/index.js')>('src/outbox/index.js');
    const pruned = await compiledPrune(database, { contentDays: 30, logDays: 90 });
    expect(pruned.partitionsDropped).toContain(`emails_${monday.week}`);
    expect((await postrider.get(emailId))?.status).toBe('scheduled');
  });
});
