import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  describeWith,
  freePort,
  type Pooler,
  type PoolerOptions,
  poolerKeepsPrepared,
  startPooler,
  waitFor,
} from '../services/index.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';
import { readiness, untilBeaten, untilReady } from './ground/pooled-workers.js';

/** Three processes whose only way to PostgreSQL is PgBouncer. What takes longer is in test/long/poolers.test.ts. */
let ground: Ground;
let pooler: Pooler;

describeWith('postgres', 'pgbouncer')('three workers behind a pooler', () => {
  beforeEach(async () => {
    ground = await openGround();
  });
  afterEach(async () => {
    await ground.close();
    await pooler.remove();
  });

  const start = async (options: Omit<PoolerOptions, 'url'>) => {
    pooler = await startPooler({ url: ground.url, ...options });
  };
  const FORGETS: Record<string, number> = poolerKeepsPrepared() ? { max_prepared_statements: 0 } : {};
  /** As docs/OPERATIONS.md has them for three processes. */
  const SIZES = { session: 36, transaction: 6 };
  const EMAILS = 60;

  const CASES = [
    { mode: 'session', prepare: 'true', settings: {}, advises: false },
    { mode: 'session', prepare: 'false', settings: {}, advises: false },
    { mode: 'transaction', prepare: 'false', settings: FORGETS, advises: false },
    { mode: 'transaction', prepare: 'true', settings: FORGETS, advises: true },
    { mode: 'transaction', prepare: 'true', settings: { max_prepared_statements: 100 }, advises: false },
  ] as const;
  it.each(CASES.filter(({ settings }) => poolerKeepsPrepared() || !('max_prepared_statements' in settings)))(
    'pool mode $mode, prepare $prepare, $settings → each keeps its first lease, and every email is sent at once',
    async ({ mode, prepare, settings, advises }) => {
      await start({ mode, settings: { ...settings, default_pool_size: SIZES[mode] } });
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      const served = ports.map((port, at) =>
        ground.serve({
          ...{ roles: 'api,worker', port, databaseUrl: pooler.url, instance: `pooled-${at}` },
          env: { POSTRIDER_DATABASE_PREPARE: prepare },
        }),
      );
      await Promise.all(ports.map((port, at) => untilReady(port, served[at]!)));
      const answers = await Promise.all(
        plainEmails(EMAILS).map((email, at) =>
          fetch(`http://127.0.0.1:${ports[at % 3]}/v1/email/send`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify(email),
          }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
      for (const answer of answers)
        ground.accepted.push(((await answer.json()) as { emailId: string }).emailId);
      await ground.finished(20_000);
      // Longer than the check for a pooler takes that sends nothing back.
      await untilBeaten(ground, { workers: 3, forSeconds: 5 });
      expect(await ground.query('select shared_session, ended_at from postrider.workers')).toEqual(
        ports.map(() => ({ shared_session: mode === 'transaction', ended_at: null })),
      );
      expect(await ground.problems()).toEqual([]);
      for (const process of served) {
        expect(process.output().includes('set POSTRIDER_DATABASE_PREPARE=false')).toBe(advises);
      }
    },
  );

  it.each([
    { mode: 'session', afterSeconds: 1.2 },
    { mode: 'transaction', afterSeconds: 30 },
  ] as const)(
    'one is killed behind pool mode $mode → its emails are taken over after $afterSeconds s without a beat, no live worker is',
    async ({ mode, afterSeconds }) => {
      await start({ mode, settings: { default_pool_size: SIZES[mode] } });
      let answering = false;
      ground.sink.beforeAnswer = async () => {
        await waitFor(() => answering, { timeoutMs: 300_000, what: 'the sink to answer' });
        return undefined;
      };
      const children = ['victim', 'one', 'two'].map((instance) =>
        ground.child({ instance, database: pooler.url, concurrency: 4, batchSize: 4, pollIntervalMs: 100 }),
      );
      await Promise.all(children.map((child) => child.next('ready')));
      const [victim] = await ground.query<{ id: number }>(
        `select id from postrider.workers where instance = 'victim'`,
      );
      const held = () => ground.query('select id from postrider.email_queue where owner = $1', [victim!.id]);
      await ground.accept(plainEmails(40));
      await waitFor(async () => (await held()).length > 0, {
        timeoutMs: 30_000,
        what: 'emails of the victim',
      });
      children[0]!.kill('SIGKILL');
      await children[0]!.gone;
      if (afterSeconds > 10) {
        // Without its session it would be dead by now.
        await untilBeaten(ground, { workers: 2, forSeconds: 3 });
        expect((await held()).length).toBeGreaterThan(0);
        await ground.query(
          `update postrider.workers set beat_at = beat_at - ($2::float8 - 6) * interval '1 second' where id = $1`,
          [victim!.id, afterSeconds],
        );
      }
      await waitFor(async () => (await held()).length === 0, { timeoutMs: 30_000, what: 'the takeover' });
      const [end] = await ground.query<{ seconds: number }>(
        `select extract(epoch from ended_at - beat_at)::float8 as seconds from postrider.workers where id = $1`,
        [victim!.id],
      );
      expect(end!.seconds).toBeGreaterThanOrEqual(afterSeconds);
      answering = true;
      await ground.finished(60_000);
      expect(await ground.query('select instance from postrider.workers where ended_at is not null')).toEqual(
        [{ instance: 'victim' }],
      );
      expect(await ground.problems()).toEqual([]);
    },
  );

  it('a process cannot take its lease → it is not ready and says why, until it has one', async () => {
    await start({ mode: 'transaction' });
    // As a schema change or a dump does: whatever comes to the table waits.
    const holder = new pg.Client({ connectionString: ground.url });
    await holder.connect();
    await holder.query('begin; lock table postrider.workers in access exclusive mode');
    const port = await freePort();
    const served = ground.serve({
      ...{ roles: 'api,worker', port, databaseUrl: pooler.url },
      env: { POSTRIDER_API_KEY: 'root' },
    });
    await waitFor(
      async () => (await readiness(port, 'root'))?.body.checks.worker?.message?.includes('does not answer'),
      {
        timeoutMs: 60_000,
        what: `a reason\n${served.output()}`,
      },
    );
    expect(await readiness(port, 'root')).toMatchObject({
      status: 503,
      body: { ok: false, checks: { database: { ok: true }, worker: { ok: false } } },
    });
    await holder.end();
    await untilReady(port, served);
    expect((await readiness(port, 'root'))?.body.checks.worker?.message).toMatch(
      /^worker \d+ holds its lease$/,
    );
  });
});
