import { expect, it } from 'vitest';
import {
  createEmptyDatabase,
  describeWith,
  queryOnce,
  startPrivatePostgres,
  waitFor,
} from '../services/index.js';

describeWith('postgres')('the PostgreSQL of the tests', () => {
  it('a test database is created → it is empty and answers, and is gone once dropped', async () => {
    const database = await createEmptyDatabase();
    expect(await queryOnce(database.url, 'select current_database() as name')).toEqual([
      { name: database.name },
    ]);
    await database.drop();
    await expect(queryOnce(database.url, 'select 1')).rejects.toThrow(/does not exist/);
  });

  it('two test databases → what one holds the other does not see', async () => {
    const [one, other] = await Promise.all([createEmptyDatabase(), createEmptyDatabase()]);
    await queryOnce(one.url, 'create table mine (id int)');
    await expect(queryOnce(other.url, 'select * from mine')).rejects.toThrow(/does not exist/);
    await Promise.all([one.drop(), other.drop()]);
  });

  it('a private server stopped in immediate mode and started → same port, committed rows are there', async () => {
    const server = await startPrivatePostgres();
    try {
      await queryOnce(server.url, 'create table kept as select 1 as id');
      await server.stop('immediate');
      await expect(queryOnce(server.url, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
      await server.start();
      expect(await queryOnce(server.url, 'select id from kept')).toEqual([{ id: 1 }]);
    } finally {
      await server.remove();
    }
  });

  it('a private server killed with a session open, then stopped fast → it starts again each time', async () => {
    const server = await startPrivatePostgres({ settings: { shared_buffers: '16MB' } });
    try {
      const sleeping = queryOnce(server.url, 'select pg_sleep(600)').catch((error: Error) => error);
      await waitFor(() => sessions(server.url, 'select pg_sleep(600)'), {
        timeoutMs: 10_000,
        what: 'the sleeping session',
      });
      await server.kill();
      expect(await sleeping).toBeInstanceOf(Error);
      await server.start();
      await server.stop('fast');
      await server.start();
      expect(await queryOnce(server.url, 'show shared_buffers')).toEqual([{ shared_buffers: '16MB' }]);
      expect(await queryOnce(server.url, 'show fsync')).toEqual([{ fsync: 'on' }]);
    } finally {
      await server.remove();
    }
  });
});

async function sessions(url: string, query: string): Promise<number> {
  const rows = await queryOnce<{ query: string }>(url, 'select query from pg_stat_activity');
  return rows.filter((row) => row.query === query).length;
}
