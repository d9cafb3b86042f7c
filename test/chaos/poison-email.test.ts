import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import type { ChildOptions } from './ground/child.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';

/**
 * An email that kills its worker whenever it is attempted. A supervisor restarts the process each time;
 * the email is found out and ended, and nobody beside it pays.
 */
const NEIGHBOURS = 200;
const CONCURRENCY = 20;
/** Up to nine processes start one after the other, each of which may take long beside others. */
const PATIENCE_MS = 240_000;

let ground: Ground;

describeWith('postgres')('an email that kills its worker', { timeout: PATIENCE_MS + 60_000 }, () => {
  beforeEach(async () => {
    ground = await openGround();
    // Slow enough that neighbours are in flight at each death.
    ground.sink.beforeAnswer = () => new Promise((resolve) => setTimeout(() => resolve(undefined), 5));
  });
  afterEach(() => ground.close());

  it('when it is handed to the provider → it alone fails as CRASH_LOOP, 200 neighbours are sent', async () => {
    const poison = await acceptAmongNeighbours();
    const deaths = await superviseUntilFinished({ poison: 'poison' });
    await expectOnlyPoisonCondemned(poison, deaths);
  });

  for (const state of ['RECEIVED', 'VALIDATED']) {
    it(`at ${state}, before it is sent → it alone fails as CRASH_LOOP, 200 neighbours are sent`, async () => {
      const poison = await acceptAmongNeighbours();
      const deaths = await superviseUntilFinished({ dieAtEvent: { emailId: poison, state } });
      await expectOnlyPoisonCondemned(poison, deaths);
    });
  }
});

async function acceptAmongNeighbours(): Promise<string> {
  const emails = plainEmails(NEIGHBOURS);
  emails.splice(NEIGHBOURS / 2, 0, { to: 'poison@example.com', subject: 'poison', text: 'x' });
  return (await ground.accept(emails))[NEIGHBOURS / 2]!;
}

/** Starts the process again whenever it has died, until nothing is left to do; counts the deaths. */
async function superviseUntilFinished(options: Partial<ChildOptions>): Promise<number> {
  const finished = ground.finished(PATIENCE_MS).then(() => 'finished' as const);
  for (let deaths = 0; ; deaths++) {
    const child = ground.child({ ...options, instance: 'supervised', concurrency: CONCURRENCY });
    const end = await Promise.race([finished, child.gone]);
    if (end === 'finished') return deaths;
    expect(end, child.output()).toBe('SIGKILL');
  }
}

async function expectOnlyPoisonCondemned(poison: string, deaths: number): Promise<void> {
  const ended = await ground.query<{ id: string; status: string; error_code: string | null }>(
    `select id, status::text as status, error_code from postrider.email_logs where status <> 'sent'`,
  );
  expect(ended).toEqual([{ id: poison, status: 'failed', error_code: 'CRASH_LOOP' }]);
  expect(await ground.problems()).toEqual([]);
  // Once in company, then in groups that halve, three times alone.
  expect(deaths).toBeGreaterThanOrEqual(4);
  expect(deaths).toBeLessThanOrEqual(1 + Math.ceil(Math.log2(CONCURRENCY)) + 3);
  // It never had a connection. Only its first worker may have marked it as begun, because one was at hand.
  const { events, possible_duplicate } = await ground.story(poison);
  const first = possible_duplicate ? ['RECEIVED', 'OUTCOME_UNKNOWN', 'RETRY_SCHEDULED'] : ['RELEASED'];
  const asSuspect = Array(deaths - 2).fill('RELEASED');
  expect(events).toEqual(['ENQUEUED', ...first, ...asSuspect, 'RECEIVED', 'FAILED']);
  await waitFor(() => ground.sink.taken.size === NEIGHBOURS, { timeoutMs: 5000, what: 'all neighbours' });
}
