import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import { closedDoor, type Ground, openGround, plainEmails } from './ground/open-ground.js';
import type { Served } from './ground/spawn-serve.js';

/** SIGTERM to `postrider serve` in the middle of a slow send, with enough time and with too little. */
const ENOUGH = { POSTRIDER_STOP_DEADLINE: '20s' };
const TOO_LITTLE = { POSTRIDER_STOP_DEADLINE: '100ms' };

let ground: Ground;

describeWith('postgres')('SIGTERM in the middle of a slow send', () => {
  beforeEach(async () => {
    ground = await openGround();
  });
  afterEach(() => ground.close());

  it('enough time → the email is finished as sent and nothing is given back', async () => {
    const answer = holdAnswers();
    const served = ground.serve({ env: ENOUGH });
    const [id] = await ground.accept(plainEmails(1));
    await taken(1);
    await terminate(served);
    answer.open();
    expect(await served.gone).toBe(0);
    const story = await ground.story(id!);
    expect(story).toMatchObject({ status: 'sent', attempts: 1, possible_duplicate: false });
    expect(story.events).toEqual(['ENQUEUED', 'RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'SENT']);
    expect(await ground.problems()).toEqual([]);
  });

  it('too little time after the final dot → OUTCOME_UNKNOWN, sent again later as a possible duplicate', async () => {
    const answer = holdAnswers();
    const served = ground.serve({ env: TOO_LITTLE });
    const [id] = await ground.accept(plainEmails(1));
    await taken(1);
    served.kill('SIGTERM');
    expect(await served.gone).toBe(0);
    expect(await ground.story(id!)).toMatchObject({ status: 'retry', attempts: 1, possible_duplicate: true });
    answer.open();
    ground.serve({});
    await ground.finished();
    const story = await ground.story(id!);
    expect(story).toMatchObject({ status: 'sent', attempts: 2, possible_duplicate: true });
    expect(story.events.slice(4, 6)).toEqual(['OUTCOME_UNKNOWN', 'RETRY_SCHEDULED']);
    expect(ground.sink.taken.get(id!)).toHaveLength(2);
    expect(await ground.problems()).toEqual([]);
  });

  it('too little time for an at-most-once email after the dot → it stops in unknown and is never repeated', async () => {
    const answer = holdAnswers();
    const served = ground.serve({ env: TOO_LITTLE });
    const [once] = await ground.accept([
      { to: 'once@example.com', subject: 'once', text: 'x', delivery: 'at-most-once' },
    ]);
    await taken(1);
    served.kill('SIGTERM');
    expect(await served.gone).toBe(0);
    answer.open();
    // Another worker that has delivered a later email has had its chance at the earlier one.
    ground.serve({});
    await ground.accept(plainEmails(1));
    await ground.finished();
    expect(await ground.story(once!)).toMatchObject({ status: 'unknown', attempts: 1 });
    expect(ground.sink.taken.get(once!)).toHaveLength(1);
    expect(await ground.problems()).toEqual([]);
  });

  it('too little time before the final dot → given back uncounted, claimable at once, sent by the next', async () => {
    const { recipients, open } = holdRecipients();
    const served = ground.serve({ env: TOO_LITTLE });
    const [id] = await ground.accept(plainEmails(1));
    await waitFor(() => recipients.length === 1, { timeoutMs: 10_000, what: 'the email to be begun' });
    served.kill('SIGTERM');
    expect(await served.gone).toBe(0);
    expect(await ground.query('select attempt, ready, begun, owner from postrider.email_queue')).toEqual([
      { attempt: 0, ready: true, begun: false, owner: null },
    ]);
    open();
    ground.serve({});
    await ground.finished();
    const story = await ground.story(id!);
    expect(story).toMatchObject({ status: 'sent', attempts: 1, possible_duplicate: false });
    expect(story.events.slice(0, 3)).toEqual(['ENQUEUED', 'RELEASED', 'RECEIVED']);
    expect(ground.sink.taken.get(id!)).toHaveLength(1);
    expect(await ground.problems()).toEqual([]);
  });

  it('claims that were not opened → another worker delivers them while the first still waits', async () => {
    const { recipients, open } = holdRecipients(2);
    const first = ground.serve({ env: { ...ENOUGH, POSTRIDER_WORKER_CONCURRENCY: '2' } });
    await ground.accept(plainEmails(10));
    await waitFor(
      async () =>
        recipients.length === 2 &&
        (await ground.query('select 1 from postrider.email_queue where owner is not null and not begun'))
          .length > 0,
      { timeoutMs: 10_000, what: 'two emails in flight and others claimed behind them' },
    );
    await terminate(first);
    ground.serve({});
    await waitFor(() => ground.sink.copies() === 8, { timeoutMs: 10_000, what: 'the other eight' });
    expect(first.running()).toBe(true);
    const released = await ground.query<{ why: string }>(
      `select detail ->> 'why' as why from postrider.email_facts where type = 'RELEASED'`,
    );
    expect(released.length).toBeGreaterThan(0);
    expect(new Set(released.map((fact) => fact.why))).toEqual(new Set(['stopping']));
    open();
    expect(await first.gone).toBe(0);
    await ground.finished();
    expect(ground.sink.copies()).toBe(10);
    expect(await ground.problems()).toEqual([]);
  });
});

/** Messages are read whole but not answered until it is opened. */
function holdAnswers() {
  const door = closedDoor();
  ground.sink.beforeAnswer = () => door.opened.then(() => undefined);
  return door;
}

/** The first recipients are not answered until it is opened, so the dot behind them is not sent. */
function holdRecipients(count = Number.POSITIVE_INFINITY) {
  const recipients: string[] = [];
  const door = closedDoor();
  ground.sink.beforeRecipient = async (address) => {
    recipients.push(address);
    if (recipients.length <= count) await door.opened;
  };
  return { recipients, open: door.open };
}

function taken(copies: number): Promise<unknown> {
  return waitFor(() => ground.sink.copies() === copies, { timeoutMs: 15_000, what: `${copies} in the sink` });
}

/** Returns once the process has begun to stop. */
async function terminate(served: Served): Promise<void> {
  served.kill('SIGTERM');
  await waitFor(() => served.output().includes('stopping'), { timeoutMs: 10_000, what: 'the stop to begin' });
}
