import { expect, test } from 'vitest';
import { mergeEmailLists } from './merge-email-lists.js';

test('a type named constructor in two regions → added up like any other', async () => {
  const stats = {
    ...{ totalSent: 2, totalFailed: 1, failureRate: 33.33 },
    byType: { constructor: { sent: 2, failed: 1 } },
  };
  const answer = { emails: [], nextCursor: null, stats };
  const { log } = mergeEmailLists(
    ['near', 'far'],
    () => ({ list: async () => answer, log: async () => answer }) as never,
  );
  const merged = await log();
  expect(Object.entries(merged.stats.byType)).toEqual([['constructor', { sent: 4, failed: 2 }]]);
});
