import { expect, test } from 'vitest';
import { openDatabase } from './open-database.js';

test.each([
  ['a folder as text', './data'],
  ['an absolute folder as text', '/var/lib/postrider'],
  ['a URL of another kind', 'mysql://root:hidden@localhost/app'],
  ['nothing', ''],
  ['an object that is no database', {}],
])('%s → INVALID_CONFIG that names the field, without what was given', async (_case, source) => {
  const refused = await openDatabase(source as string).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'INVALID_CONFIG', field: 'database' });
  expect((refused as Error).message).not.toContain('hidden');
});

test.each(['postgres://localhost/app', 'POSTGRESQL://localhost/app', 'socket:/run/pg?db=app', '/run/pg app'])(
  '%s → a database, connected to when it is asked',
  async (source) => {
    const database = await openDatabase(source);
    expect(database.kind).toBe('postgres');
    await database.close();
  },
);
