import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, type MigrationProgress, migrate, openDatabase } from '../../src/store/index.js';
import { createTestDatabase, describeWith, type TestDatabase, waitFor } from '../services/index.js';

const ADD_COLUMN = {
  number: 9001,
  name: '9001_trial',
  oldestCode: 1,
  sql: 'alter table postrider.email_queue add column trial integer',
};

/** A schema change needs a lock that no open transaction shares, and every statement on the table waits behind it. */
describeWith('postgres')('a migration beside an open transaction', () => {
  let target: TestDatabase;
  let database: Database;
  let holder: pg.Client;
  beforeAll(async () => {
    target = await createTestDatabase();
    database = await openDatabase(target.url);
    holder = new pg.Client({ connectionString: target.url, application_name: 'a-long-report' });
    await holder.connect();
  });
  afterAll(async () => {
    await holder?.end();
    await database?.close();
    await target?.drop();
  });

  test('an open transaction reads the queue → the migration gives way, names it, and others go on', async () => {
    await holder.query('begin');
    await holder.query('select count(*) from postrider.email_queue');
    const seen: MigrationProgress[] = [];
    const migrating = migrate(database, {
      migrations: [ADD_COLUMN],
      lockTimeoutMs: 200,
      onProgress: (progress) => seen.push(progress),
    });
    await waitFor(() => seen.length >= 2, {
      timeoutMs: 10_000,
      what: 'the migration to have given way twice',
    });
    const waiting = seen.filter((progress) => progress.state === 'waiting');
    expect(waiting.map(({ migration }) => migration)).toContain('9001_trial');
    const { blockers, message } = waiting[0]!;
    expect(blockers).toHaveLength(1);
    expect(blockers[0]).toMatchObject({
      application: 'a-long-report',
      state: 'idle in transaction',
      query: 'select count(*) from postrider.email_queue',
    });
    expect(message).toContain('a-long-report');
    // Between two tries the table is free: a statement that would otherwise wait for the holder passes.
    const { rows } = await database.query<{ waiting: number }>(
      'select count(*)::int as waiting from postrider.email_queue',
    );
    expect(rows).toEqual([{ waiting: 0 }]);
    await holder.query('commit');
    expect(await migrating).toMatchObject({ applied: ['9001_trial'] });
    expect(seen.at(-1)).toEqual({ migration: '9001_trial', state: 'applied' });
  });

  test('it never ends → MIGRATION_BLOCKED with the statement, and nothing is changed', async () => {
    await holder.query('begin');
    await holder.query('select max(due_at) from postrider.email_queue');
    await expect(
      migrate(database, {
        migrations: [
          { ...ADD_COLUMN, number: 9002, name: '9002_trial', sql: ADD_COLUMN.sql.replace('trial', 'other') },
        ],
        lockTimeoutMs: 100,
        giveUpAfterMs: 500,
      }),
    ).rejects.toMatchObject({
      code: 'MIGRATION_BLOCKED',
      message: expect.stringContaining('select max(due_at) from postrider.email_queue'),
    });
    await holder.query('rollback');
    const { rowCount } = await database.query(
      'select 1 from postrider.schema_migrations where number = 9002',
    );
    expect(rowCount).toBe(0);
  });

  test('a second process that migrates → waits for the first, and both end', async () => {
    const seen: MigrationProgress[] = [];
    await holder.query('begin');
    await holder.query('select pg_advisory_xact_lock(7707, 2)');
    const migrating = migrate(database, {
      migrations: [],
      lockTimeoutMs: 100,
      onProgress: (progress) => seen.push(progress),
    });
    await waitFor(() => seen.length > 0, { timeoutMs: 10_000, what: 'the second to have waited' });
    await holder.query('commit');
    expect(await migrating).toMatchObject({ applied: [] });
  });
});
