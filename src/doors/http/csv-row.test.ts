import { expect, test } from 'vitest';
import { csvRow } from './csv-row.js';

test('commas, quotes and lines → one cell each', () => {
  expect(csvRow(['a,b', 'say "hi"', 'two\nlines', null, 3])).toBe('"a,b","say ""hi""","two\nlines",,3\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '  =HYPERLINK("x")', '\r=1', '|calc', '%0A'])(
  'a cell %j that a spreadsheet would run → text',
  (given) => {
    const written = csvRow([given]);
    expect(written.startsWith(`"'`)).toBe(true);
    expect(written).toContain(given.replaceAll('"', '""'));
  },
);

test('an ordinary subject → as it is', () => {
  expect(csvRow(['Your order 42', 'ada@example.com'])).toBe('Your order 42,ada@example.com\r\n');
});
