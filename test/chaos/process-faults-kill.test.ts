import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';

/** SIGKILL of one of two workers under load: how long its emails stand still, and what becomes of them. */
const EMAILS = 2000;
const ANSWER_MS = 25;
const RECOVERY_MS = 2000;
/** What a crowded machine may add; `npm run bench -- recovery` holds the 2 s. */
const CROWDED_MS = 4000;

let ground: Ground;

describeWith('postgres')('two workers under load', () => {
  beforeEach(async () => {
    ground = await openGround();
    ground.sink.beforeAnswer = () =>
      new Promise((resolve) => setTimeout(() => resolve(undefined), ANSWER_MS));
  });
  afterEach(() => ground.close());

  it('one is killed → its emails are free after seconds and claimed again soon after, all are sent, none twice in silence', async () => {
    const [victim, survivor] = [ground.child({ instance: 'victim' }), ground.child({ instance: 'survivor' })];
    await Promise.all([victim.next('ready'), survivor.next('ready')]);
    const dead = await workerOf('victim');
    await ground.accept(plainEmails(EMAILS));
    await waitFor(() => ground.sink.copies() > EMAILS / 10, { timeoutMs: 20_000, what: 'load' });

    await waitFor(async () => (await heldBy(dead)).some((row) => row.begun), {
      timeoutMs: 5000,
      what: 'emails in the hands of the victim',
      everyMs: 1,
    });
    const killedAt = performance.now();
    victim.kill('SIGKILL');
    await victim.gone;
    const held = await heldBy(dead);
    expect(held.length).toBeGreaterThan(0);

    await waitFor(async () => (await heldBy(dead)).length === 0, {
      timeoutMs: 10_000,
      what: 'the rows of the dead worker to be taken over',
      everyMs: 10,
    });
    const recoveredMs = performance.now() - killedAt;
    await ground.finished();
    const again = await ground.query<{ ms: number }>(
      `select (extract(epoch from max(a.started_at) - (select beat_at from postrider.workers where id = $2)) * 1000)::float8 as ms
       from postrider.email_attempts a where a.email_id = any($1) and a.status = 'sent' and a.worker <> $2`,
      [held.map((row) => row.id), dead],
    );
    console.log(
      `${held.length} emails of the dead worker free after ${Math.round(recoveredMs)} ms;`,
      `the last of them claimed again ${Math.round(again[0]?.ms ?? 0)} ms after its last beat`,
    );
    expect(recoveredMs).toBeLessThan(RECOVERY_MS + CROWDED_MS);
    expect(again[0]?.ms).toBeLessThan(RECOVERY_MS + 2 * CROWDED_MS);
    expect(await ground.problems()).toEqual([]);
    const unsent = await ground.query(`select id from postrider.email_logs where status <> 'sent'`);
    expect(unsent).toEqual([]);
    // What could have gone out twice says so.
    const repeated = [...ground.sink.taken].filter(([, times]) => times.length > 1).map(([id]) => id);
    for (const id of repeated) expect((await ground.story(id)).possible_duplicate).toBe(true);
  });
});

async function workerOf(instance: string): Promise<number> {
  const [row] = await ground.query<{ id: number }>(
    'select id from postrider.workers where instance = $1 order by id desc limit 1',
    [instance],
  );
  return row!.id;
}

function heldBy(worker: number): Promise<Array<{ id: string; begun: boolean }>> {
  return ground.query('select id, begun from postrider.email_queue where owner = $1', [worker]);
}
