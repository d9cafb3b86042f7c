import { afterEach, beforeEach, expect, inject, it } from 'vitest';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';
import type { ChildOptions } from './ground/child.js';
import { type Ground, openGround, plainEmails } from './ground/open-ground.js';

/** Another engine with a backlog in the one before, whether that one was stopped or killed. */
const EMAILS = 900;
const ANSWER_MS = 20;

let ground: Ground;
let vhost: TestVhost;
let tests = 0;

describeWith(
  'postgres',
  'redis',
  'rabbitmq',
)('a backlog changes engines', () => {
  beforeEach(async () => {
    tests += 1;
    vhost = await createTestVhost();
    ground = await openGround();
    ground.sink.beforeAnswer = () =>
      new Promise((resolve) => setTimeout(() => resolve(undefined), ANSWER_MS));
  });
  afterEach(async () => {
    await ground.close();
    await vhost.drop();
  });

  const configOf = (name: 'postgres' | 'rabbitmq' | 'bullmq'): ChildOptions['config'] => ({
    engine: { name, ringAgainMs: 2000 },
    redis: { url: inject('redisUrl')!, prefix: `switch-${process.pid}-${tests}` },
    rabbitmq: { url: vhost.url },
  });

  it('postgres, bullmq, rabbitmq, postgres, one after the other → nothing is lost and nothing is sent twice', async () => {
    await ground.accept(plainEmails(EMAILS));
    const turns = ['postgres', 'bullmq', 'rabbitmq', 'postgres'] as const;
    for (const [turn, name] of turns.entries()) {
      const child = ground.child({ instance: `turn-${turn}`, config: configOf(name), concurrency: 10 });
      await child.next('ready');
      if (turn === turns.length - 1) break;
      const goal = (EMAILS * (turn + 1)) / 5;
      await waitFor(() => ground.sink.copies() >= goal, {
        timeoutMs: 60_000,
        what: `${goal} through ${name}`,
      });
      child.say({ do: 'stop', deadlineMs: 10_000 });
      await child.gone;
    }
    await ground.finished(60_000);
    expect(await ground.problems()).toEqual([]);
    expect(ground.sink.copies()).toBe(EMAILS);
  });

  it('killed with bells in the broker, then another engine → everything is sent, nothing twice in silence', async () => {
    await ground.accept(plainEmails(EMAILS));
    for (const [turn, name] of (['rabbitmq', 'bullmq', 'rabbitmq'] as const).entries()) {
      const child = ground.child({ instance: `turn-${turn}`, config: configOf(name), concurrency: 10 });
      await child.next('ready');
      if (turn === 2) break;
      const goal = (EMAILS * (turn + 1)) / 5;
      await waitFor(() => ground.sink.copies() >= goal, {
        timeoutMs: 60_000,
        what: `${goal} through ${name}`,
      });
      child.kill('SIGKILL');
      await child.gone;
    }
    await ground.finished(90_000);
    expect(await ground.problems()).toEqual([]);
    expect(await ground.query(`select id from postrider.email_logs where status <> 'sent'`)).toEqual([]);
  });
});
