import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';

/**
 * A worker killed while a slow server has some of its emails and the others wait for a connection. What only waited has
 * not begun; and neither what is tried again nor what is new stands behind the answers of the others.
 */
const REPLY_MS = 1500;
/** The connections of a worker by default. */
const CONNECTIONS = 20;
const SUSPECTS = 92;
/** Alone it takes seven rounds of answers; one at a time it took minutes. */
const PATIENCE_MS = 60_000;

let ground: Ground;

describeWith('postgres')('suspects of a crash at a slow server', { timeout: 120_000 }, () => {
  beforeEach(async () => {
    ground = await openGround();
    ground.sink.beforeAnswer = () => new Promise((resolve) => setTimeout(() => resolve(undefined), REPLY_MS));
  });
  afterEach(() => ground.close());

  it('92 of them → attempted together; what waited for a connection is no duplicate; new emails pass them', async () => {
    const victim = ground.child({ instance: 'victim' });
    await victim.next('ready');
    const once = plainEmails(12, 'once').map((email) => ({ ...email, delivery: 'at-most-once' as const }));
    const ids = await ground.accept([...plainEmails(SUSPECTS - once.length), ...once]);
    await waitFor(() => ground.sink.copies() >= CONNECTIONS * 0.8, {
      timeoutMs: 20_000,
      what: 'a message on most connections',
    });
    victim.kill('SIGKILL');
    await victim.gone;
    // As if it had opened them all: a slow server's emails are otherwise left in the ledger.
    await ground.query(
      `update postrider.email_queue set owner = (select id from postrider.workers where instance = 'victim'),
         ready = false, opened = true, claimed_at = clock_timestamp()`,
    );
    const killedAt = performance.now();
    const before = new Set(ground.sink.taken.keys());

    const heir = ground.child({ instance: 'heir' });
    await waitFor(() => ground.sink.copies() > before.size, {
      timeoutMs: 20_000,
      what: 'the first suspect to be attempted again',
    });
    const fresh: string[] = [];
    for (let at = 0; at < 5; at++) {
      const [id] = await ground.accept(
        plainEmails(1, `fresh-${at}`).map((email) => ({ ...email, companyId: 'fresh' })),
      );
      fresh.push(id!);
      await waitFor(() => ground.sink.taken.has(id!), { timeoutMs: PATIENCE_MS, what: 'a new email' });
    }
    const attempted = ids.filter((id) => lastTaken(id) > killedAt);
    expect(attempted.length, 'the new emails passed the suspects').toBeLessThan(SUSPECTS);
    const again = ids.filter((id) => !before.has(id));
    await waitFor(() => ids.every((id) => lastTaken(id) > killedAt || stays(id)), {
      timeoutMs: PATIENCE_MS,
      what: 'every suspect to be attempted',
    });
    console.log(`all attempted ${Math.round(Math.max(...ids.map(lastTaken)) - killedAt)} ms after the death`);
    await ground.finished(PATIENCE_MS);
    expect(await ground.problems()).toEqual([]);
    for (const id of [...again, ...fresh]) {
      expect(ground.sink.taken.get(id), id).toHaveLength(1);
      expect(await ground.story(id)).toMatchObject({
        status: 'sent',
        attempts: 1,
        possible_duplicate: false,
      });
    }
    for (const id of before) {
      expect(await ground.story(id)).toMatchObject({ status: stays(id) ? 'unknown' : 'sent' });
    }
    heir.say({ do: 'stop', deadlineMs: 5000 });
    await heir.gone;

    function stays(id: string): boolean {
      return before.has(id) && ids.indexOf(id) >= SUSPECTS - once.length;
    }
  });
});

function lastTaken(id: string): number {
  return ground.sink.taken.get(id)?.at(-1) ?? 0;
}
