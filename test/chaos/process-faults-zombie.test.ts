import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import { closedDoor, type Ground, openGround, plainEmails } from './ground/open-ground.js';

/**
 * A worker frozen by SIGSTOP past its lease and woken by SIGCONT: by then others own what it held. Some of
 * its emails stand before the final dot, with the server's "go ahead" already in its hands when it wakes;
 * one stands after it, with the server's "taken" in its hands. All but the last are sent by then; the last
 * is just being sent by the heir.
 */
const FROZEN_BEFORE_DOT = 5;

let ground: Ground;

describeWith('postgres')('a frozen worker', () => {
  beforeEach(async () => {
    ground = await openGround();
  });
  afterEach(() => ground.close());

  it('wakes after its lease → sends no second copy, changes nothing, begins anew as another worker', async () => {
    const frozen = closedDoor();
    const heirsLast = closedDoor();
    const begun: string[] = [];
    ground.sink.beforeRecipient = async (address) => {
      if (address.startsWith('after')) return;
      begun.push(address);
      await frozen.opened;
    };
    ground.sink.beforeAnswer = async ({ emailId }) => {
      await frozen.opened;
      if (emailId === last) await heirsLast.opened;
      return undefined;
    };

    const zombie = ground.child({ instance: 'zombie', logLevel: 'info' });
    await zombie.next('ready');
    const [after] = await ground.accept(plainEmails(1, 'after'));
    const before = await ground.accept(plainEmails(FROZEN_BEFORE_DOT, 'before'));
    const last = before.at(-1);
    await waitFor(() => begun.length === FROZEN_BEFORE_DOT && ground.sink.copies() === 1, {
      timeoutMs: 10_000,
      what: 'five emails before their dot and one after it',
    });
    zombie.kill('SIGSTOP');
    frozen.open();
    const frozenAt = performance.now();

    const heir = ground.child({ instance: 'heir' });
    await heir.next('ready');
    await waitFor(async () => ground.sink.taken.has(last!) && (await waiting()).length === 1, {
      timeoutMs: 30_000,
      what: 'the heir to have sent all but the last, and to be sending that',
    });
    console.log(`taken over and sent again ${Math.round(performance.now() - frozenAt)} ms after the freeze`);
    // Its last beat may be up to one interval of 500 ms older than the freeze.
    expect(performance.now() - frozenAt).toBeGreaterThan(9500);
    const written = await everythingWritten();
    const copies = ground.sink.copies();

    zombie.kill('SIGCONT');
    const reborn = await waitFor(async () => (await workersOf('zombie')).find((row) => row.alive), {
      timeoutMs: 10_000,
      what: 'the zombie to begin anew',
    });
    expect(await workersOf('zombie')).toHaveLength(2);
    expect(zombie.output()).toContain('lease lost');
    expect(zombie.output()).toContain('result not recorded');
    expect(ground.sink.copies()).toBe(copies);
    expect(await everythingWritten()).toEqual(written);

    heirsLast.open();
    await ground.finished();
    for (const id of before) expect(ground.sink.taken.get(id)).toHaveLength(1);
    expect(ground.sink.taken.get(after!)).toHaveLength(2);
    expect(await ground.story(after!)).toMatchObject({ status: 'sent', possible_duplicate: true });
    heir.say({ do: 'stop', deadlineMs: 5000 });
    await heir.gone;
    const later = await ground.accept(plainEmails(20, 'later'));
    await ground.finished();
    const by = await ground.query<{ worker: number }>(
      'select distinct worker from postrider.email_attempts where email_id = any($1)',
      [later],
    );
    expect(by).toEqual([{ worker: reborn.id }]);
    expect(await ground.problems()).toEqual([]);
  });
});

function workersOf(instance: string): Promise<Array<{ id: number; alive: boolean }>> {
  return ground.query(
    'select id, ended_at is null as alive from postrider.workers where instance = $1 order by id',
    [instance],
  );
}

function waiting(): Promise<unknown[]> {
  return ground.query('select * from postrider.email_queue');
}

async function everythingWritten(): Promise<unknown[]> {
  return [
    ...(await waiting()),
    ...(await ground.query('select * from postrider.email_attempts order by email_id, attempt')),
    ...(await ground.query('select * from postrider.email_facts order by email_id, fact_id')),
  ];
}
