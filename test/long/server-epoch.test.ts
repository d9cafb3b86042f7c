import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Ground, openGround, plainEmails } from '../chaos/ground/open-ground.js';
import {
  describeWith,
  type PostgresServer,
  startPostgresStandby,
  startPrivatePostgres,
  startSwitchablePort,
  waitFor,
} from '../services/index.js';

/**
 * PostgreSQL restarts itself, or is replaced by its standby, under full load and at any moment: nothing is lost, nothing
 * is repeated silently, at-most-once is not repeated, and nothing is blamed for a crash.
 */
const EMAILS = 2000;
const AT_MOST_ONCE_IN = 50;
const RUNS = 3;

let server: PostgresServer;
let ground: Ground;

describeWith('postgres')('under full load', () => {
  beforeEach(async () => {
    // Unwritten marks stay unwritten until something waits for the disk: what a crash may lose, it loses.
    server = await startPrivatePostgres({ settings: { wal_writer_delay: '10s' } });
  });
  afterEach(() => server.remove());

  for (let run = 1; run <= RUNS; run++) {
    it(`run ${run}: backends are killed, one of them together with a worker → every email is accounted for`, async () => {
      await underLoad(server.url, async (victim) => {
        await sent(1);
        await (await server.openBackend()).kill();
        await sent((EMAILS * run) / (2 * RUNS));
        const backend = await server.openBackend();
        const gone = backend.kill();
        victim.kill('SIGKILL');
        await gone;
        await sent(EMAILS * 0.8);
        await (await server.openBackend()).kill();
      });
    });

    it(`run ${run}: the primary dies together with a worker and the standby is promoted → every email is accounted for`, async (context) => {
      const standby = await startPostgresStandby(server, { synchronous: true });
      if (!standby) return context.skip('the programs of PostgreSQL here have no pg_basebackup');
      const address = await startSwitchablePort(Number(new URL(server.url).port));
      const url = new URL(server.url);
      url.port = String(address.port);
      try {
        await underLoad(url.href, async (victim) => {
          await sent((EMAILS * run) / (2 * RUNS));
          victim.kill('SIGKILL');
          await server.stop('immediate');
          address.lead(Number(new URL(standby.url).port));
          await standby.promote();
        });
      } finally {
        await address.close();
        await standby.remove();
      }
    });
  }
});

async function underLoad(url: string, faults: (victim: { kill(signal: 'SIGKILL'): void }) => Promise<void>) {
  ground = await openGround(url);
  try {
    ground.sink.beforeAnswer = () => new Promise((resolve) => setTimeout(() => resolve(undefined), 10));
    const [victim] = ['victim', 'second', 'third'].map((instance) => ground.serve({ instance }));
    const emails = plainEmails(EMAILS).map((email, i) =>
      i % AT_MOST_ONCE_IN === 0 ? { ...email, delivery: 'at-most-once' as const } : email,
    );
    await ground.accept(emails);
    await faults(victim!);
    await ground.finished();
    expect(await ground.problems()).toEqual([]);
    const ends = await ground.query<{ status: string; delivery: string; error_code: string | null }>(
      `select distinct status::text as status, delivery::text as delivery, error_code
       from postrider.email_logs where status <> 'sent'`,
    );
    // Nothing but what must not be repeated may stop.
    for (const end of ends) {
      expect(end).toEqual({ status: 'unknown', delivery: 'at-most-once', error_code: 'WORKER_DIED' });
    }
    const living = await ground.query<{ instance: string }>(
      `select instance from postrider.workers where ended_at is null order by instance`,
    );
    expect(living).toEqual([{ instance: 'second' }, { instance: 'third' }]);
    const all = await ground.query<{ count: number }>('select count(*)::int as count from postrider.workers');
    expect(all).toEqual([{ count: 3 }]);
  } finally {
    await ground.close();
  }
}

function sent(count: number): Promise<unknown> {
  return waitFor(() => ground.sink.copies() >= count, {
    timeoutMs: 60_000,
    everyMs: 1,
    what: `${count} emails`,
  });
}
