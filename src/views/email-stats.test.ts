import { afterEach, expect, test } from 'vitest';
import type { Queryable } from '../store/index.js';
import { readEmailStats } from './email-stats.js';

/** Names that SQL takes for a type, and that every object of JavaScript has already. */
const TYPES = ['__proto__', 'constructor', 'toString'];

afterEach(() => {
  for (const polluted of [Object.prototype, Object] as unknown as Array<Record<string, unknown>>) {
    delete polluted.sent;
    delete polluted.failed;
  }
});

test('types named __proto__ and constructor → counted like any other, and nothing else is changed', async () => {
  const rows = TYPES.map((type) => ({ type, status: 'sent', count: 2 }));
  const database = {
    query: async (statement: { text: string } | string) =>
      typeof statement !== 'string' &&
      statement.text.includes('email_tally_mark') &&
      !/mark as/.test(statement.text)
        ? { rows: [], rowCount: 0 }
        : { rows, rowCount: rows.length },
  } as unknown as Queryable;
  const stats = await readEmailStats(database, {});
  expect(Object.entries(stats.byType)).toEqual(TYPES.map((type) => [type, { sent: 2, failed: 0 }]));
  expect(stats.totalSent).toBe(6);
  expect('sent' in {}).toBe(false);
});
