import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/store/index.js';
import { createEmptyDatabase, describeWith, type TestDatabase } from '../services/index.js';

/** Statements with a name, whose rows are described once for each connection. */
describeWith('postgres')('prepared statements on our own connections', () => {
  let created: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    created = await createEmptyDatabase();
    // Two: one is held by a transaction of the tests, the other serves what they ask beside it.
    database = await openDatabase(created.url, { poolSize: 2 });
  });
  afterAll(async () => {
    await database?.close();
    await created?.drop();
  });

  const counting = {
    name: 'test_counting',
    text: `select n, n % 2 = 0 as even, case when n > 1 then 'row ' || n end as text, jsonb_build_object('n', n) as json
      from generate_series(1, $1::int) n`,
  };
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      ...{ n: at + 1, even: at % 2 === 1, text: at > 0 ? `row ${at + 1}` : null, json: { n: at + 1 } },
    }));

  test('asked again and again → the same rows, described once', async () => {
    const describing = vi.spyOn(pg.Connection.prototype, 'describe');
    await database.transaction(async (tx) => {
      for (const count of [3, 0, 1, 2]) {
        expect(await tx.query(counting, [count])).toEqual({ rows: rows(count), rowCount: count });
      }
    });
    expect(describing).toHaveBeenCalledTimes(1);
    describing.mockRestore();
  });

  test('several sent before the first is answered → each has its own rows', async () => {
    const named = { ...counting, name: 'test_counting_ahead' };
    await database.transaction(async (tx) => {
      const answers = await Promise.all([4, 0, 1, 7, 2].map((count) => tx.query(named, [count])));
      expect(answers.map((answer) => answer.rows)).toEqual([4, 0, 1, 7, 2].map(rows));
    });
  });

  test('two statements in turns, one of which fails now and then → rows of the right one', async () => {
    const dividing = { name: 'test_dividing', text: 'select 12 / $1::int as result, $2::text as word' };
    for (const by of [3, 0, 4, 0, 6]) {
      const asked = database.query(dividing, [by, 'ü "quoted" \\']);
      if (by === 0) {
        // whoever reads it sees who asked, not where the driver read the answer
        await expect(asked).rejects.toMatchObject({
          code: 'STORE_FAILED',
          cause: { code: '22012' },
          stack: expect.stringContaining(import.meta.filename),
        });
      }
      if (by !== 0) expect((await asked).rows).toEqual([{ result: 12 / by, word: 'ü "quoted" \\' }]);
      expect((await database.query(counting, [2])).rows).toEqual(rows(2));
    }
  });

  test('a table that has changed meanwhile → an error, not rows read as before', async () => {
    await database.query('create table changing (n int, word text)');
    await database.query("insert into changing values (1, 'one')");
    const reading = { name: 'test_changing', text: 'select * from changing' };
    await database
      .transaction(async (tx) => {
        expect((await tx.query(reading)).rows).toEqual([{ n: 1, word: 'one' }]);
        await tx.query('alter table changing alter n type text, drop word');
        await expect(tx.query(reading)).rejects.toThrow('cached plan must not change result type');
        await expect(tx.query('select 1')).rejects.toMatchObject({ code: 'TRANSACTION_ABORTED' });
        throw new Error('over');
      })
      .catch((error: Error) => expect(error.message).toBe('over'));
  });
});
