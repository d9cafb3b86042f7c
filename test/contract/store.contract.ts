import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as Store from '../../src/store/index.js';
import { waitFor } from '../services/index.js';

/** What every store promises, run against each: schema, transactions, sessions, bells. */
export interface StoreUnderTest {
  /** The module under test; PGlite's thread needs the compiled one. */
  store: Pick<typeof Store, 'checkSchema' | 'migrate' | 'openDatabase'>;
  /** Opens the same database; called once where only one process may hold it. */
  open(): Promise<Store.Database>;
  /** Whether several connections may be open at once. */
  shared: boolean;
  /** Whether a text may begin with U+FEFF; default yes. */
  keepsMarks?: boolean;
  remove(): Promise<void>;
}

export function storeContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`store ${name}`, () => {
    let subject: StoreUnderTest;
    let database: Store.Database;
    beforeAll(async () => {
      subject = await make();
      database = await subject.open();
    });
    afterAll(async () => {
      await database.close();
      await subject.remove();
    });

    const newer = (number: number, oldestCode: number) =>
      database.query(
        'insert into postrider.schema_migrations (number, name, oldest_code) values ($1, $2, $3)',
        [number, `${number}_newer`, oldestCode],
      );

    test('an empty database → STORE_NOT_MIGRATED', async () => {
      await expect(subject.store.checkSchema(database)).rejects.toMatchObject({ code: 'STORE_NOT_MIGRATED' });
    });

    test('migrated by four at once → each migration applied by exactly one of them', async () => {
      const others = subject.shared ? await Promise.all([1, 2, 3].map(() => subject.open())) : [];
      const crowd = others.length > 0 ? [database, ...others] : Array.from({ length: 4 }, () => database);
      const seen: string[] = [];
      const reports = await Promise.all(
        crowd.map((one) =>
          subject.store.migrate(one, {
            onProgress: ({ migration, state }) => state === 'applied' && seen.push(migration),
          }),
        ),
      );
      await Promise.all(others.map((one) => one.close()));
      const applied = reports.flatMap((report) => report.applied);
      expect(applied.length).toBeGreaterThanOrEqual(6);
      expect(new Set(applied).size).toBe(applied.length);
      expect(seen.sort()).toEqual(applied.sort());
      const { rows } = await database.query<{ name: string; number: number }>(
        'select name, number from postrider.schema_migrations order by number',
      );
      expect(rows.map((row) => row.name)).toEqual(applied.sort());
      for (const report of reports) expect(report.current).toBe(rows.at(-1)!.number);
    });

    test('migrated again → nothing applied', async () => {
      expect(await subject.store.migrate(database)).toMatchObject({ applied: [] });
    });

    test('a hundred ids, each asked for after the last → in rising order, of this time', async () => {
      const before = Date.now() - 60_000;
      const ids: string[] = [];
      for (let n = 0; n < 100; n++) {
        const { rows } = await database.query<{ id: string }>('select postrider.new_id() as id');
        ids.push(rows[0]!.id);
      }
      expect([...ids].sort()).toEqual(ids);
      for (const id of ids)
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const times = ids.map((id) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
      expect(Math.min(...times)).toBeGreaterThan(before);
      expect(Math.max(...times)).toBeLessThan(Date.now() + 60_000);
    });

    test('a schema one step newer that older code understands → accepted', async () => {
      const current = await subject.store.checkSchema(database);
      await newer(current + 1, current);
      expect(await subject.store.checkSchema(database)).toBe(current + 1);
      expect(await subject.store.migrate(database)).toMatchObject({ applied: [], current: current + 1 });
      await database.query('delete from postrider.schema_migrations where number > $1', [current]);
    });

    test('a schema that needs newer code → STORE_TOO_NEW', async () => {
      const current = await subject.store.checkSchema(database);
      await newer(current + 1, current);
      await newer(current + 2, current + 1);
      await expect(subject.store.checkSchema(database)).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });
      await database.query('delete from postrider.schema_migrations where number > $1', [current]);
    });

    test('a schema that lacks a step in the middle → STORE_NOT_MIGRATED, which names it', async () => {
      const step = await database.query<{ number: number; name: string; oldest_code: number }>(
        'delete from postrider.schema_migrations where number = 4 returning number, name, oldest_code',
      );
      await expect(subject.store.checkSchema(database)).rejects.toMatchObject({
        code: 'STORE_NOT_MIGRATED',
        message: expect.stringContaining('step 4 '),
      });
      const { number, name, oldest_code } = step.rows[0]!;
      await database.query(
        'insert into postrider.schema_migrations (number, name, oldest_code) values ($1, $2, $3)',
        [number, name, oldest_code],
      );
    });

    test('a text that begins with U+FEFF → given back as it is', async () => {
      const { rows } = await database.query<{ text: string; bytes: number }>(
        'select $1::text as text, octet_length($1::text) as bytes',
        ['\ufeffx'],
      );
      // One of the application's own reads it so; content never begins with one.
      expect(rows).toEqual([{ text: subject.keepsMarks === false ? 'x' : '\ufeffx', bytes: 4 }]);
    });

    test('a transaction that returns → committed; one that throws → rolled back and the error passed on', async () => {
      await database.script('create table notes (id int primary key, body text); select 1;');
      const answer = await database.transaction(async (tx) => {
        await tx.query('insert into notes values ($1, $2)', [1, 'kept']);
        return 'done';
      });
      expect(answer).toBe('done');
      const reason = new Error('no');
      await expect(
        database.transaction(async (tx) => {
          await tx.query('insert into notes values (2)');
          throw reason;
        }),
      ).rejects.toBe(reason);
      expect((await database.query('select id, body from notes')).rows).toEqual([{ id: 1, body: 'kept' }]);
    });

    test('a statement that fails → STORE_FAILED with its own error as the cause, the transaction rolled back, the store usable', async () => {
      await expect(
        database.transaction(async (tx) => {
          await tx.query('insert into notes values (3)');
          await tx.query('insert into notes values (1)');
        }),
      ).rejects.toMatchObject({ code: 'STORE_FAILED', cause: { code: '23505' } });
      expect((await database.query('select count(*)::int as n from notes')).rows).toEqual([{ n: 1 }]);
    });

    test.each([
      ['committed', async () => undefined],
      [
        'rolled back',
        async () => {
          throw new Error('rolled back');
        },
      ],
    ])('a transaction used after it was %s → TRANSACTION_ENDED, nothing written', async (_case, finish) => {
      let kept: Store.Queryable | undefined;
      await database
        .transaction(async (tx) => {
          kept = tx;
          await tx.query('select 1');
          await finish();
        })
        .catch((error: Error) => expect(error.message).toBe('rolled back'));
      await database.transaction(async (other) => {
        await expect(kept!.query('insert into notes values (4)')).rejects.toMatchObject({
          code: 'TRANSACTION_ENDED',
        });
        await other.query('select 1');
      });
      expect((await database.query('select count(*)::int as n from notes')).rows).toEqual([{ n: 1 }]);
    });

    test('the prompt store → same rows, commits and roll-backs', async () => {
      const prompt = database.prompt();
      await prompt.transaction(async (tx) => {
        await tx.query('insert into notes values ($1)', [5]);
      });
      await expect(
        prompt.transaction(async (tx) => {
          await tx.query('insert into notes values (6)');
          throw new Error('no');
        }),
      ).rejects.toThrow('no');
      const removed = await prompt.query<{ id: number }>('delete from notes where id > 4 returning id');
      expect(removed.rows).toEqual([{ id: 5 }]);
    });

    test('parameters and rows → same types on every store', async () => {
      const at = new Date('2026-01-02T03:04:05.678Z');
      const { rows, rowCount } = await database.query(
        `select $1::int as number, $2::text as text, $3::timestamptz as at, $4::jsonb as json, $5::boolean as yes,
           null::text as none, $6::text[] as list, $7::uuid as id, 1.5::float8 as float`,
        [
          7,
          'ü 한 "q"',
          at.toISOString(),
          JSON.stringify({ a: [1] }),
          true,
          ['a', 'b,c', null],
          '00000000-0000-7000-8000-000000000001',
        ],
      );
      expect(rowCount).toBe(1);
      expect(rows).toEqual([
        {
          number: 7,
          text: 'ü 한 "q"',
          at,
          json: { a: [1] },
          yes: true,
          none: null,
          list: ['a', 'b,c', null],
          id: '00000000-0000-7000-8000-000000000001',
          float: 1.5,
        },
      ]);
    });

    test('rowCount → rows changed, with and without returning', async () => {
      await database.query('insert into notes select g from generate_series(10, 14) g');
      expect((await database.query('update notes set body = $1 where id >= 10', ['x'])).rowCount).toBe(5);
      expect((await database.query('delete from notes where id >= 10 returning id')).rowCount).toBe(5);
    });

    test('a named statement with other values → same plan, own answer', async () => {
      const statement = { name: 'contract_twice', text: 'select $1::int * 2 as n' };
      for (const n of [1, 2, 3]) expect((await database.query(statement, [n])).rows).toEqual([{ n: n * 2 }]);
    });

    test('a bell in a transaction → heard at commit, not before and not when rolled back', async () => {
      const session = await database.openSession();
      const heard: string[] = [];
      await session.listen('contract_bell', () => heard.push('bell'));
      await session.listen('contract_mark', () => heard.push('mark'));
      const ring = (tx: Store.Queryable) => tx.query("select pg_notify('contract_bell', '')");
      await expect(
        database.transaction(async (tx) => {
          await ring(tx);
          throw new Error('rolled back');
        }),
      ).rejects.toThrow('rolled back');
      let beforeCommit = 0;
      await database.transaction(async (tx) => {
        await ring(tx);
        beforeCommit = heard.length;
      });
      await database.query("select pg_notify('contract_mark', '')");
      await waitFor(() => heard.includes('mark'), { timeoutMs: 5000, what: 'the bell' });
      expect(beforeCommit).toBe(0);
      expect(heard).toEqual(['bell', 'mark']);
      await session.close();
    });

    test('a session → answers, and closing it twice is harmless', async () => {
      const session = await database.openSession();
      expect((await session.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
      let lost = 0;
      session.onLost(() => {
        lost += 1;
      });
      await session.close();
      await session.close();
      expect(lost).toBe(0);
      expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    });

    test('closed twice → harmless', async () => {
      await database.close();
      await expect(database.close()).resolves.toBeUndefined();
    });
  });
}
