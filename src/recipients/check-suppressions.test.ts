import { expect, test } from 'vitest';
import { acceptableRows, checkSuppressionRows } from './check-suppressions.js';

async function* given(...rows: unknown[]) {
  yield* rows;
}
const GOOD = { email: 'ada@example.net', reason: 'bounce' };
const WRONG = [
  { email: 'nobody' },
  { email: 'ada@example.net', reason: 'spite' },
  { email: 'ada@example.net', colour: 'red' },
  'not a row',
];

test('rows right and wrong → counted, each refusal with its row, its field and why', async () => {
  const report = await checkSuppressionRows(given(GOOD, WRONG[0], GOOD, WRONG[1]));
  expect(report).toMatchObject({ rows: 4, accepted: 2, refused: 2 });
  expect(report.examples).toMatchObject([
    { row: 2, field: 'email', problem: expect.stringContaining('email') },
    { row: 4, field: 'reason', problem: expect.stringContaining('reason') },
  ]);
});

test('more refusals than anyone reads → all counted, a hundred told', async () => {
  const report = await checkSuppressionRows(given(...Array.from({ length: 150 }, () => WRONG[0])));
  expect([report.refused, report.examples.length]).toEqual([150, 100]);
});

test('the acceptable ones → those and no others', async () => {
  const rows = [];
  for await (const row of acceptableRows(given(...WRONG, GOOD))) rows.push(row);
  expect(rows).toEqual([GOOD]);
});
