import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPostrider } from '../../src/index.js';
import { openDatabase } from '../../src/store/index.js';
import { createEmptyDatabase, queryOnce, startPrivatePostgres, waitFor } from '../services/index.js';

/** What an application brings along: a pool with a password, parsers of its own, a PGlite it uses itself. */
describe("the application's pool on a server that asks for a password", () => {
  test.each<[string, string | (() => Promise<string>)]>([
    ['text', 'right and wrong'],
    ['a function', async () => 'right and wrong'],
  ])('password as %s → queries and the session of a worker connect', async (_case, password) => {
    const server = await startPrivatePostgres();
    onTestFinished(() => server.remove());
    await queryOnce(server.url, "create role app superuser login password 'right and wrong'");
    await askForPassword(server.url, 'app');
    const { hostname: host, port } = new URL(server.url);
    const options = { host, port: Number(port), user: 'app', database: 'postgres' };
    const wrong = new pg.Client({ ...options, password: 'wrong' });
    await expect(wrong.connect()).rejects.toMatchObject({ code: '28P01' });

    const pool = new pg.Pool({ ...options, password });
    pool.on('error', () => undefined); // the server may go before a session has ended
    const database = await openDatabase(pool);
    expect((await database.query('select current_user as me')).rows).toEqual([{ me: 'app' }]);
    const session = await database.openSession();
    expect((await session.query('select current_user as me')).rows).toEqual([{ me: 'app' }]);
    await session.close();
    await database.close();
    await pool.end();
  });
});

/** Written by the server itself, so that it need not share a disk with this process. */
async function askForPassword(url: string, role: string): Promise<void> {
  const [place] = await queryOnce<{ hba_file: string }>(url, 'show hba_file');
  const rules = [`host all ${role} all scram-sha-256`, 'host all all all trust', 'local all all trust'];
  const rows = rules.map((rule) => `('${rule}')`).join(', ');
  await queryOnce(url, `copy (values ${rows}) to '${place!.hba_file}'`);
  await queryOnce(url, 'select pg_reload_conf()');
  const client = () => queryOnce(url.replace('postgres@', `${role}:wrong@`), 'select 1');
  await waitFor(async () => (await client().catch((error: { code: string }) => error.code)) === '28P01', {
    timeoutMs: 10_000,
    what: 'the new rules',
  });
}

describe('what only our own prepared connections do', () => {
  test("the application's pool, or nothing prepared → no rows by COPY, nothing sent ahead", async () => {
    const created = await createEmptyDatabase();
    onTestFinished(() => created.drop());
    const pool = new pg.Pool({ connectionString: created.url });
    onTestFinished(() => pool.end());
    for (const [source, ours] of [
      [await openDatabase(pool), false],
      [await openDatabase(created.url, { prepare: false }), false],
      [await openDatabase(created.url), true],
    ] as const) {
      const inside = await source.transaction(async (tx) => tx);
      for (const target of [source, source.prompt(), inside]) {
        expect([target.copy !== undefined, target.pipelines ?? false]).toEqual([ours, ours]);
      }
      await source.close();
    }
  });
});

describe("the application's parsers", () => {
  test('times, JSON and numbers read as text by pg → our own reads stay as they are', async () => {
    const changed = [16, 20, 23, 701, 1009, 1184, 3802];
    const before = changed.map((oid) => [oid, pg.types.getTypeParser(oid)] as const);
    for (const oid of changed) pg.types.setTypeParser(oid, (text: string) => `changed ${text}`);
    onTestFinished(() => {
      for (const [oid, parser] of before) pg.types.setTypeParser(oid, parser as (text: string) => unknown);
    });
    const test = await createEmptyDatabase();
    const database = await openDatabase(test.url);
    const { rows } = await database.query(
      `select '2026-01-02T03:04:05.678+05:30'::timestamptz as at, '{"a":[1]}'::jsonb as json, 7 as number,
        8::int8 as long, true as yes, 1.5::float8 as float, array['a,b', null] as list`,
    );
    expect(rows).toEqual([
      {
        at: new Date('2026-01-01T21:34:05.678Z'),
        json: { a: [1] },
        number: 7,
        long: '8',
        yes: true,
        float: 1.5,
        list: ['a,b', null],
      },
    ]);
    await database.close();
    await test.drop();
  });
});

describe("the application's own PGlite", () => {
  test('send without tx inside its transaction → STORE_NESTED_CALL instead of hanging, and nothing is written later', async () => {
    const pglite = await PGlite.create();
    const postrider = createPostrider({
      database: pglite,
      from: { address: 'noreply@example.com' },
      config: { log: { level: 'error' } },
    });
    onTestFinished(async () => {
      await postrider.stop();
      await pglite.close();
    });
    await postrider.ready();
    const email = { to: 'reader@example.net', subject: 'Hello', text: 'Hello' };
    await pglite.transaction(async (tx) => {
      for (const options of [{}, { idempotencyKey: 'k' }]) {
        await expect(postrider.send(email, options)).rejects.toMatchObject({ code: 'STORE_NESTED_CALL' });
      }
      await tx.query('select 1');
    });
    const waiting = async () => (await pglite.query('select 1 from postrider.email_queue')).rows.length;
    expect(await waiting()).toBe(0);
    await pglite.transaction(async (tx) => void (await postrider.send(email, { tx })));
    await postrider.send(email);
    expect(await waiting()).toBe(2);
  });
});
