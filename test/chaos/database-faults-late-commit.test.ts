import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeWith, waitFor } from '../services/index.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';

/** A transaction that was opened before others and committed after them: its email has an older id. */
const ROUNDS = 6;
/** Far less than the minute between two looks; `npm run bench -- latency` holds the milliseconds. */
const PROMPT_MS = 10_000;

let ground: Ground;
let late: pg.Client;

describeWith('postgres')('a commit that becomes visible late', () => {
  beforeEach(async () => {
    ground = await openGround();
    late = new pg.Client(ground.url);
    await late.connect();
  });
  afterEach(async () => {
    await late.end();
    await ground.close();
  });

  it('after others were claimed and sent → its email is not skipped, the bell brings it at once', async () => {
    const child = ground.child({ pollIntervalMs: 60_000 });
    await child.next('ready');
    const waits: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await late.query('begin');
      const { emailId } = await ground.caller.send(
        { to: `late-${round}@example.com`, subject: 'late', text: 'x' },
        { tx: late },
      );
      const others = await ground.accept(plainEmails(5, `others-${round}`));
      expect(others.every((id) => id > emailId)).toBe(true);
      await ground.finished();
      expect(ground.sink.taken.has(emailId)).toBe(false);

      await late.query('commit');
      const committedAt = performance.now();
      ground.accepted.push(emailId);
      await waitFor(() => ground.sink.taken.has(emailId), {
        timeoutMs: 10_000,
        everyMs: 2,
        what: 'the late one',
      });
      waits.push(performance.now() - committedAt);
      await ground.finished();
    }
    console.log(`sent after the commit: ${waits.map((ms) => `${ms.toFixed(0)} ms`).join(', ')}`);
    for (const wait of waits) expect(wait).toBeLessThan(PROMPT_MS);
    expect(await ground.problems()).toEqual([]);
  });
});
