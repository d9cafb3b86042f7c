import { isPostriderError } from '../kernel/index.js';
import { parseSuppression } from './parse-suppression.js';

/**
 * What an import would take and what it would refuse, without writing anything; and the rows it would take, for an import
 * that passes over the others. Holds one row in memory, and the first hundred refusals.
 */
export interface CheckedRows {
  rows: number;
  accepted: number;
  refused: number;
  /** The first of them. Rows are counted from 1, without the line that names the columns. */
  examples: Array<{ row: number; field: string | null; problem: string }>;
}

const MOST_EXAMPLES = 100;

export async function checkSuppressionRows(rows: AsyncIterable<unknown>): Promise<CheckedRows> {
  const report: CheckedRows = { rows: 0, accepted: 0, refused: 0, examples: [] };
  for await (const row of rows) {
    report.rows += 1;
    const refusal = refusalOf(row);
    if (refusal === null) report.accepted += 1;
    else {
      report.refused += 1;
      if (report.examples.length < MOST_EXAMPLES) report.examples.push({ row: report.rows, ...refusal });
    }
  }
  return report;
}

export async function* acceptableRows(rows: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  for await (const row of rows) if (refusalOf(row) === null) yield row;
}

function refusalOf(row: unknown): { field: string | null; problem: string } | null {
  try {
    parseSuppression(row, '');
    return null;
  } catch (error) {
    if (!isPostriderError(error)) throw error;
    return { field: error.field ?? null, problem: error.message };
  }
}
