import { type Figure, isMet } from './bench.js';

/** What the benches found, as lines for a terminal and as rows for docs/BENCHMARKS.md. */
export interface BenchResult {
  name: string;
  says: string;
  seconds: number;
  figures: Figure[];
  /** How many cores other processes of the machine kept busy meanwhile. */
  othersCores?: number | null;
  skipped?: string;
  failed?: string;
}

const HEAD = ['bench', 'figure', 'value', 'target', 'met', 'design', 'note'];

export function resultLines(results: readonly BenchResult[]): string[] {
  const rows = [HEAD, ...results.flatMap(rowsOf)];
  const widths = HEAD.slice(0, -1).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function rowsOf(result: BenchResult): string[][] {
  const row = (...cells: string[]) => [...cells, ...Array(HEAD.length - cells.length).fill('')];
  if (result.skipped) return [row(result.name, `skipped: ${result.skipped}`)];
  if (result.failed) return [row(result.name, `failed: ${result.failed}`)];
  return result.figures.map((figure) => [
    result.othersCores ? `${result.name} (others: ${result.othersCores.toFixed(1)} cores)` : result.name,
    figure.what,
    `${format(figure.value)} ${figure.unit}`,
    figure.target
      ? 'atMost' in figure.target
        ? `≤ ${format(figure.target.atMost)}`
        : `≥ ${format(figure.target.atLeast)}`
      : '',
    verdict(figure),
    figure.design ?? '',
    figure.note ?? '',
  ]);
}

function verdict(figure: Figure): string {
  const met = isMet(figure);
  return met === null ? '' : met ? 'yes' : 'NO';
}

function format(value: number): string {
  if (value === 0 || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toPrecision(3).replace(/\.?0+$/, '');
}
