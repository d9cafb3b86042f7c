import pg from 'pg';
import { expect, it } from 'vitest';
import { createTestDatabase, waitFor } from '../services/index.js';
import { checkLedger } from './ground/check-ledger.js';
import { startRecordingSink } from './ground/recording-sink.js';
import { spawnChild } from './ground/spawn-child.js';

it('100 emails → all sent once', async () => {
  const database = await createTestDatabase();
  const sink = await startRecordingSink();
  const child = spawnChild({ database: database.url, smtpPort: sink.port, work: true });
  await child.next('ready');
  child.say({
    do: 'send',
    emails: Array.from({ length: 100 }, (_, i) => ({
      to: `u${i}@example.com`,
      subject: `S ${i}`,
      text: 'x',
    })),
  });
  const { ids } = await child.next('accepted');
  const client = new pg.Client(database.url);
  await client.connect();
  await waitFor(async () => (await client.query('select 1 from postrider.email_queue')).rowCount === 0, {
    timeoutMs: 20000,
    what: 'empty queue',
  });
  expect(await checkLedger(client, ids, sink.taken)).toEqual([]);
  console.log(
    (
      await client.query(
        'select type, metadata, created_at from postrider.email_events where email_log_id=$1 order by sequence',
        [ids[0]],
      )
    ).rows,
  );
  child.say({ do: 'stop', deadlineMs: 5000 });
  await child.gone;
  await client.end();
  await sink.stop();
  await database.drop();
});
