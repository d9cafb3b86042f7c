import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneEmail } from '../../bench/ground/fill-queue.js';
import { openClaims, openStatement } from '../../src/outbox/open-claims.js';
import { ANY_SUPPRESSED } from '../../src/recipients/index.js';
import type { Database } from '../../src/store/index.js';
import { describeWith } from '../services/index.js';
import { type Door, openDoor } from './ground/open-door.js';

/** A flood that PostgreSQL has not looked at yet: it knows how large its tables are and nothing else. */
describeWith('postgres')('opening behind a flood that has just come in', () => {
  let door: Door;
  let client: pg.Client;
  beforeAll(async () => {
    door = await openDoor();
    client = new pg.Client({ connectionString: door.database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await door?.close();
  });

  test('100,000 emails without statistics → the statement is too cheap to be compiled first', async () => {
    const text = Array.from({ length: 600 }, (_, at) => ((at * 7919) % 46_655).toString(36)).join(' ');
    const sample = { to: 'someone@example.com', subject: 'One of many', text };
    const { emailId } = await door.postrider.send(sample);
    for (const table of await partitions()) {
      await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
    }
    await cloneEmail(client, emailId, 100_000);
    let plan: { Plan: { 'Total Cost': number }; JIT?: object } | undefined;
    const explaining = {
      kind: 'postgres',
      async query(statement: { text: string }, values: unknown[]) {
        const { rows } = await client.query(`explain (format json) ${statement.text}`, values);
        plan = rows[0]['QUERY PLAN'][0];
        return { rows: [] };
      },
    } as unknown as Database;
    const { rows } = await client.query('select id, token from postrider.email_queue limit 96');
    expect(rows).toHaveLength(96);
    await openClaims(explaining, 1, rows, { statement: openStatement(ANY_SUPPRESSED) });
    expect(plan?.JIT).toBeUndefined();
    expect(plan?.Plan['Total Cost']).toBeLessThan(10_000);
  });

  async function partitions(): Promise<string[]> {
    const { rows } = await client.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits
       where inhparent in ('postrider.emails'::regclass, 'postrider.email_bodies'::regclass)
       union all select 'postrider.email_queue'`,
    );
    return rows.map(({ name }) => name);
  }
});
