import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ground, openGround, plainEmails } from '../chaos/ground/open-ground.js';
import { untilBeaten } from '../chaos/ground/pooled-workers.js';
import { describeWith, type Pooler, startPooler, waitFor } from '../services/index.js';

/** What test/chaos/poolers.test.ts says of leases, in the time it takes. */
let ground: Ground;
let pooler: Pooler;

describeWith('postgres', 'pgbouncer')('three workers behind a pooler that shares sessions', () => {
  beforeEach(async () => {
    ground = await openGround();
    pooler = await startPooler({ url: ground.url, mode: 'transaction', settings: { default_pool_size: 20 } });
  });
  afterEach(async () => {
    await ground.close();
    await pooler.remove();
  });

  it('one is killed after 40 s → no lease was lost until then; 30 s after its last beat its emails are free, and all are sent', async () => {
    const children = ['victim', 'one', 'two'].map((instance) =>
      ground.child({ instance, database: pooler.url, concurrency: 4, batchSize: 4 }),
    );
    await Promise.all(children.map((child) => child.next('ready')));
    await ground.accept(plainEmails(100, 'before'));
    await ground.finished(60_000);
    await untilBeaten(ground, { workers: 3, forSeconds: 40 });
    expect(await ground.query('select id from postrider.workers where ended_at is not null')).toEqual([]);
    let answering = false;
    ground.sink.beforeAnswer = async () => {
      await waitFor(() => answering, { timeoutMs: 300_000, what: 'the sink to answer' });
      return undefined;
    };
    const [victim] = await ground.query<{ id: number }>(
      `select id from postrider.workers where instance = 'victim'`,
    );
    const held = () => ground.query('select id from postrider.email_queue where owner = $1', [victim!.id]);
    await ground.accept(plainEmails(40, 'after'));
    await waitFor(async () => (await held()).length > 0, { timeoutMs: 60_000, what: 'emails of the victim' });
    children[0]!.kill('SIGKILL');
    await children[0]!.gone;
    await waitFor(async () => (await held()).length === 0, { timeoutMs: 60_000, what: 'the takeover' });
    const [end] = await ground.query<{ seconds: number }>(
      `select extract(epoch from ended_at - beat_at)::float8 as seconds from postrider.workers where id = $1`,
      [victim!.id],
    );
    console.log(`taken over ${end!.seconds.toFixed(1)} s after the last beat`);
    expect(end!.seconds).toBeGreaterThanOrEqual(30);
    expect(end!.seconds).toBeLessThan(35);
    answering = true;
    await ground.finished(60_000);
    expect(await ground.query('select instance from postrider.workers where ended_at is not null')).toEqual([
      { instance: 'victim' },
    ]);
    expect(await ground.problems()).toEqual([]);
  });
});
