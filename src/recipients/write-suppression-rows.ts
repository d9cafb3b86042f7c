import type { RowFormat } from './read-rows.js';
import type { Suppression } from './suppression.js';

/**
 * Suppressions as a file that `importAll` takes again, some hundred rows at a time. A row of which only the hash is
 * left has no address and stays out: its hash means nothing elsewhere.
 */
export async function* writeSuppressionRows(
  rows: AsyncIterable<Suppression>,
  format: RowFormat,
): AsyncGenerator<string> {
  let out = format === 'csv' ? `${COLUMNS.join(',')}\r\n` : '';
  for await (const row of rows) {
    if (row.email === null) continue;
    out +=
      format === 'csv'
        ? `${COLUMNS.map((name) => cell(row[name])).join(',')}\r\n`
        : `${JSON.stringify(row)}\n`;
    if (out.length < CHUNK) continue;
    yield out;
    out = '';
  }
  if (out !== '') yield out;
}

const COLUMNS = ['email', 'reason', 'category', 'emailId', 'note', 'createdAt'] as const;
const CHUNK = 32 * 1024;

function cell(value: string | null): string {
  if (value === null) return '';
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
