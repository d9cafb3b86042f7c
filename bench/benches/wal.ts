import type pg from 'pg';
import { type Bench, Skipped } from '../bench.js';
import { acceptMany } from '../ground/open-sender.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const EMAILS = 10_000;

/** What an email writes to the server's log, the true price of durability. */
export const wal: Bench = {
  name: 'wal',
  says: `bytes of WAL per email over ${EMAILS.toLocaleString('en')} emails of about 5 KB`,
  async run({ openDatabase, progress }) {
    const { client, url } = await openDatabase();
    // The first weeks of a table are its growth; what follows is measured on tables that exist.
    await journey(url, client, 2000, () => {});
    try {
      progress('without page images');
      await setPageImages(client, 'off');
      const bare = await journey(url, client, EMAILS, progress);
      progress('with page images, after a checkpoint');
      await setPageImages(client, 'on');
      await client.query('checkpoint');
      const full = await journey(url, client, EMAILS, progress);
      return [
        { what: 'at accept', value: bare.accept, unit: 'bytes', note: 'full_page_writes off' },
        {
          what: 'after accept (claim, begun, settle)',
          value: bare.after,
          unit: 'bytes',
          design: '702 bytes (2,005 with a row per event)',
          note: 'full_page_writes off; cleaning by autovacuum included',
        },
        {
          what: 'at accept, first after a checkpoint',
          value: full.accept,
          unit: 'bytes',
          note: 'full_page_writes on',
        },
        {
          what: 'after accept, first after a checkpoint',
          value: full.after,
          unit: 'bytes',
          note: 'full_page_writes on',
        },
      ];
    } finally {
      await client.query('alter system reset full_page_writes');
      await client.query('select pg_reload_conf()');
    }
  },
};

async function journey(url: string, client: pg.Client, emails: number, progress: (text: string) => void) {
  const start = await walBytes(client);
  await acceptMany(url, emails, (done) => progress(`${done} of ${emails} accepted`));
  const accepted = await walBytes(client);
  const worker = await spawnWorker({ database: url });
  await worker.ask({ do: 'expect', settled: emails }, 'reached');
  const settled = await walBytes(client);
  await worker.stop();
  return { accept: (accepted - start) / emails, after: (settled - accepted) / emails };
}

async function walBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes",
  );
  return Number(rows[0]!.bytes);
}

async function setPageImages(client: pg.Client, value: 'on' | 'off'): Promise<void> {
  try {
    await client.query(`alter system set full_page_writes = ${value}`);
  } catch (error) {
    throw new Skipped(`needs a superuser to switch full_page_writes: ${(error as Error).message}`);
  }
  await client.query('select pg_reload_conf()');
  await client.query('checkpoint');
}
