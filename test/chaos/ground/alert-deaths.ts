import pg from 'pg';
import { expect, type TestContext } from 'vitest';
import { createPostrider } from '../../../src/index.js';
import { silentLogger } from '../../../src/kernel/index.js';
import { openReceiver } from '../../journey/ground/open-alerts.js';
import { createTestDatabase, waitFor } from '../../services/index.js';
import type { ChildOptions } from './child.js';
import { type Child, spawnChild } from './spawn-child.js';

/** Every named place between seeing that something is wrong and having told of it. */
export const ALERT_PLACES = [
  'alert:noted',
  'alert:seen',
  'alert:turning',
  'alert:turned',
  'alert:claimed',
  'alert:sent',
  'alert:settled',
];

/**
 * An email that no worker takes, and one process after the other that watches and dies at the given places, in turn, by
 * SIGKILL, while the alert begins and, once the email is gone, while it ends. The last process lives. Each message must
 * have come, under one id, and as often as once more for each death between sending it and writing that down.
 */
export async function watchAndDie(
  test: Pick<TestContext, 'onTestFinished'>,
  places: ReadonlyArray<string | number>,
): Promise<Set<string>> {
  const receiver = await openReceiver(test);
  const store = await createTestDatabase();
  test.onTestFinished(() => store.drop());
  const pool = new pg.Pool({ connectionString: store.url, max: 2 });
  pool.on('error', () => undefined); // dropping the database at the end ends idle sessions
  test.onTestFinished(() => pool.end());
  const caller = createPostrider({
    ...{ database: store.url, logger: silentLogger, from: { address: 'noreply@example.com' } },
    config: { email: { mode: 'console' } },
  });
  test.onTestFinished(() => caller.stop({ deadlineMs: 0 }));
  const { emailId } = await caller.schedule(
    { to: 'reader@example.net', subject: 'Hello', text: 'Hello' },
    new Date(Date.now() + 100),
  );
  const config: ChildOptions['config'] = {
    webhooks: { allowPrivate: true },
    alerts: {
      ...{
        intervalMs: 250,
        holdMs: 250,
        webhookUrl: `${receiver.url}/hook`,
        slackUrl: `${receiver.url}/slack`,
      },
      webhookSecret: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
    },
  };
  const children: Child[] = [];
  test.onTestFinished(() => {
    for (const child of children) child.kill();
  });
  const spawn = (killAt?: string | number) => {
    const child = spawnChild({ database: store.url, smtpPort: 1, work: false, watch: true, killAt, config });
    children.push(child);
    return child;
  };
  const deaths: string[] = [];

  async function dieOnTheWay(type: string, done: () => boolean): Promise<void> {
    for (const place of places) {
      if (done() && (await settled())) break;
      const child = spawn(place);
      const end = await Promise.race([
        child.gone.then(() => 'dead' as const),
        waitFor(() => done() && settled(), { timeoutMs: 120_000, what: type }).then(() => 'told' as const),
      ]);
      if (end === 'told') child.kill();
      await child.gone;
      const at = child.diedAt();
      if (at !== null) deaths.push(`${type} ${at}`);
      // As a minute and a half later: what was claimed is free again.
      await pool.query(
        'update postrider.alert_notifications set leased_until = null, due_at = now() where due_at is not null',
      );
    }
    const last = spawn();
    await waitFor(() => done() && settled(), { timeoutMs: 120_000, what: `${type}\n${last.output()}` });
    last.kill();
    await last.gone;
  }

  const came = (path: string, type: string) => {
    const of = receiver.of(path) as unknown as Array<{ type?: string; text?: string }>;
    return of.filter(
      (one) => one.type === type || one.text?.includes(type === 'alert.ended' ? 'Over: ' : 'What to do'),
    );
  };
  const both = (type: string) => () => came('/hook', type).length > 0 && came('/slack', type).length > 0;
  const settled = async () =>
    (await pool.query('select 1 from postrider.alert_notifications where due_at is not null')).rowCount === 0;

  await dieOnTheWay('alert.opened', both('alert.opened'));
  await caller.cancel(emailId);
  await dieOnTheWay('alert.ended', both('alert.ended'));

  const { rows } = await pool.query(
    'select alert, ended_at is not null as over from postrider.alert_episodes where opened_at is not null',
  );
  expect(rows, deaths.join(', ')).toEqual([{ alert: 'no-worker', over: true }]);
  const ids = new Set(
    receiver.got.filter(({ path }) => path === '/hook').map(({ headers }) => headers['webhook-id']),
  );
  expect(ids.size, deaths.join(', ')).toBe(2);
  for (const type of ['alert.opened', 'alert.ended']) {
    const between = deaths.filter((one) => one.startsWith(type) && /sent|settled|claimed/.test(one)).length;
    for (const path of ['/hook', '/slack']) {
      expect(came(path, type).length, `${path} ${type}: ${deaths.join(', ')}`).toBeLessThanOrEqual(
        1 + between,
      );
    }
  }
  return new Set(deaths.map((one) => one.split(' ')[1]!));
}
