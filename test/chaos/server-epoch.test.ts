import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeWith,
  type PostgresServer,
  startPostgresStandby,
  startPrivatePostgres,
  startSwitchablePort,
  waitFor,
} from '../services/index.js';
import { closedDoor, type Ground, openGround, plainEmails } from './ground/open-ground.js';

/**
 * PostgreSQL restarts itself after a backend died, a standby is promoted, the server's clock is stepped. None of these is
 * the death of a worker, and the first two lose marks that were written without waiting for the disk.
 */
const EMAILS = 12;

let server: PostgresServer;
let ground: Ground;

describeWith('postgres')('a server that restarts itself', () => {
  beforeEach(async () => {
    // Unwritten marks stay unwritten until something waits for the disk: what a crash may lose, it loses.
    server = await startPrivatePostgres({ settings: { wal_writer_delay: '10s' } });
    ground = await openGround(server.url);
  });
  afterEach(async () => {
    await ground.close();
    await server.remove();
  });

  it('a backend killed three times while answers are awaited → no worker is taken over, every email is sent once', async () => {
    const answers = closedDoor();
    ground.sink.beforeAnswer = () => answers.opened.then(() => undefined);
    const children = [ground.child({ instance: 'one' }), ground.child({ instance: 'two' })];
    await Promise.all(children.map((child) => child.next('ready')));
    const ids = await ground.accept(plainEmails(EMAILS));
    await waitFor(() => ground.sink.copies() === EMAILS, {
      timeoutMs: 20_000,
      what: 'all before their answer',
    });
    for (let crash = 1; crash <= 3; crash++) {
      await (await server.openBackend()).kill();
      await allBeatAgain(2);
    }
    answers.open();
    await ground.finished();
    expect(await everyWorker()).toEqual([
      { instance: 'one', alive: true },
      { instance: 'two', alive: true },
    ]);
    expect(ground.sink.copies()).toBe(EMAILS);
    expect(await ground.problems()).toEqual([]);
    for (const id of ids) expect(await ground.story(id)).toMatchObject({ status: 'sent', attempts: 1 });
  });

  it('a backend and a worker killed at the first DATA → no second copy in silence, at-most-once stops', async () => {
    const backend = await server.openBackend();
    await expectMarked({ die: () => backend.kill() });
  });
});

describeWith('postgres')('a standby that is promoted', () => {
  beforeEach(async () => {
    server = await startPrivatePostgres({ settings: { wal_writer_delay: '10s' } });
  });
  afterEach(() => server.remove());

  it('the primary and a worker die at the first DATA → no second copy in silence, at-most-once stops', async (context) => {
    const standby = await startPostgresStandby(server, { synchronous: true });
    if (!standby) return context.skip('the programs of PostgreSQL here have no pg_basebackup');
    const address = await startSwitchablePort(Number(new URL(server.url).port));
    const url = new URL(server.url);
    url.port = String(address.port);
    ground = await openGround(url.href);
    try {
      await expectMarked({
        async die() {
          await server.stop('immediate');
          address.lead(Number(new URL(standby.url).port));
          await standby.promote();
        },
      });
    } finally {
      await ground.close();
      await address.close();
      await standby.remove();
    }
  });
});

describeWith('postgres')("a server's clock that is stepped", () => {
  beforeEach(async () => {
    ground = await openGround();
    await ground.query('create schema stepped');
    await ground.query(`create table stepped.step (by interval not null)`);
    await ground.query(`insert into stepped.step values ('0')`);
    // Found before the server's own, by every connection that is opened from here on.
    await ground.query(`create function stepped.clock_timestamp() returns timestamptz language sql volatile
      as 'select pg_catalog.clock_timestamp() + by from stepped.step'`);
    await ground.query(`do $$ begin execute format(
      'alter database %I set search_path = stepped, pg_catalog, public', current_database()); end $$`);
  });
  afterEach(() => ground.close());
  const step = (by: string) => ground.query('update stepped.step set by = by + $1::interval', [by]);

  it('by an hour, five times, under two live workers → none is taken over, every email is sent once', async () => {
    const answers = closedDoor();
    ground.sink.beforeAnswer = () => answers.opened.then(() => undefined);
    const children = [ground.child({ instance: 'one' }), ground.child({ instance: 'two' })];
    await Promise.all(children.map((child) => child.next('ready')));
    await ground.accept(plainEmails(EMAILS));
    await waitFor(() => ground.sink.copies() === EMAILS, {
      timeoutMs: 20_000,
      what: 'all before their answer',
    });
    for (let times = 0; times < 5; times++) {
      await step('1 hour');
      await allBeatAgain(2);
    }
    answers.open();
    await ground.finished();
    expect(await everyWorker()).toEqual([
      { instance: 'one', alive: true },
      { instance: 'two', alive: true },
    ]);
    expect(ground.sink.copies()).toBe(EMAILS);
    expect(await ground.problems()).toEqual([]);
  });

  it('back by an hour, and a worker killed → it is taken over all the same, within seconds', async () => {
    const answers = closedDoor();
    ground.sink.beforeAnswer = ({ seen }) =>
      seen === 0 ? answers.opened.then(() => undefined) : Promise.resolve(undefined);
    const victim = ground.child({ instance: 'victim' });
    await victim.next('ready');
    const ids = await ground.accept(plainEmails(5));
    await waitFor(() => ground.sink.copies() === 5, { timeoutMs: 20_000, what: 'all before their answer' });
    const heir = ground.child({ instance: 'heir' });
    await heir.next('ready');
    await step('-1 hour');
    victim.kill('SIGKILL');
    await ground.finished();
    for (const id of ids) {
      expect(await ground.story(id)).toMatchObject({ status: 'sent', possible_duplicate: true });
    }
    // The journal is in the order of the server's clock.
    const others = (await ground.problems()).filter((problem) => !problem.startsWith('illegal history'));
    expect(others).toEqual([]);
    answers.open();
  });
});

describeWith('postgres')('a session that an administrator ends', () => {
  beforeEach(async () => {
    ground = await openGround();
  });
  afterEach(() => ground.close());

  // A process that gets no core for 1.2 s is rightly taken over: a machine that crowded gets another chance.
  it('five times while an email awaits its answer → its worker has a new one at once, and is not taken over', {
    retry: 2,
  }, async () => {
    const answers = closedDoor();
    ground.sink.beforeAnswer = () => answers.opened.then(() => undefined);
    const owner = ground.child({ instance: 'owner' });
    await owner.next('ready');
    const [id] = await ground.accept(plainEmails(1));
    await waitFor(() => ground.sink.copies() === 1, { timeoutMs: 20_000, what: 'the email' });
    const other = ground.child({ instance: 'other' });
    await other.next('ready');
    for (let times = 0; times < 5; times++) {
      await ground.query(`select pg_terminate_backend(l.pid) from pg_locks l
        join postrider.workers w on w.id::oid = l.objid and w.instance = 'owner'
        where l.locktype = 'advisory' and l.classid = 7708
          and l.database = (select oid from pg_database where datname = current_database())`);
      await allBeatAgain(2);
    }
    answers.open();
    await ground.finished();
    expect(await everyWorker()).toEqual([
      { instance: 'other', alive: true },
      { instance: 'owner', alive: true },
    ]);
    expect(await ground.story(id!)).toMatchObject({ status: 'sent', attempts: 1, possible_duplicate: false });
  });
});

/**
 * A worker dies together with the server's memory, when the first of its emails has arrived. Another one starts when the
 * server is back.
 */
async function expectMarked({ die }: { die(): Promise<void> }): Promise<void> {
  const arrived = closedDoor();
  const answers = closedDoor();
  ground.sink.beforeAnswer = async ({ to, seen }) => {
    if (to !== 'once@example.com') arrived.open();
    if (seen === 0) await answers.opened;
    return undefined;
  };
  const victim = ground.child({ instance: 'victim' });
  await victim.next('ready');
  // An email that must not be repeated has its mark on the disk, and with it all before it.
  const [once] = await ground.accept([
    { to: 'once@example.com', subject: 'once', text: 'x', delivery: 'at-most-once' },
  ]);
  await waitFor(() => ground.sink.copies() === 1, { timeoutMs: 20_000, what: 'the first email' });
  const dead = arrived.opened.then(() => {
    victim.kill('SIGKILL');
    return die();
  });
  const ids = await ground.accept(plainEmails(EMAILS));
  await dead;
  answers.open();
  // The beat of a moment may have brought the marks to the disk: those that may be lost are.
  await waitFor(
    () => ground.query('update postrider.email_queue set begun = false where not at_most_once returning id'),
    { timeoutMs: 30_000, what: 'the server' },
  );
  ground.child({ instance: 'heir' });
  await ground.finished();
  expect(await ground.problems()).toEqual([]);
  expect(await ground.story(once!)).toMatchObject({ status: 'unknown', attempts: 1 });
  expect(ground.sink.taken.get(once!)).toHaveLength(1);
  const repeated = ids.filter((id) => (ground.sink.taken.get(id) ?? []).length > 1);
  expect(repeated.length).toBeGreaterThan(0);
  for (const id of repeated) expect((await ground.story(id)).possible_duplicate).toBe(true);
  expect(await everyWorker()).toEqual([
    { instance: 'heir', alive: true },
    { instance: 'victim', alive: false },
  ]);
}

function everyWorker(): Promise<Array<{ instance: string; alive: boolean }>> {
  return ground.query(
    'select instance, ended_at is null as alive from postrider.workers order by instance, id',
  );
}

/** Waits until so many workers have beaten since now; the server may be away at first. */
async function allBeatAgain(count: number): Promise<void> {
  const before = await waitFor(beatsNow, { timeoutMs: 30_000, what: 'the server' });
  await waitFor(
    async () => {
      const now = await beatsNow();
      return [...now].filter(([id, beat]) => before.get(id) !== beat).length >= count;
    },
    { timeoutMs: 30_000, what: `${count} workers to beat` },
  );
}

async function beatsNow(): Promise<Map<number, string>> {
  const rows = await ground.query<{ id: number; beat: string }>(
    'select id, beat_at::text as beat from postrider.workers where ended_at is null',
  );
  return new Map(rows.map(({ id, beat }) => [id, beat]));
}
