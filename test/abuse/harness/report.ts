import { labelOf } from './attack.js';
import { type Finding, inMb, type Result } from './run-attacks.js';

/** What was found, as a table to read and a line each to repeat it. */
export function reportOf({ findings, made, skipped, left }: Result): string {
  const summary = `${made} attacks made, ${findings.length} findings`;
  const more = [
    ...(skipped > 0 ? [`${skipped} left out, because enough of the same field is found`] : []),
    ...(left > 0 ? [`${left} not made for want of time`] : []),
  ];
  return [
    [summary, ...more].join('; '),
    ...(findings.length > 0 ? ['', ...table(findings), '', ...repeats(findings)] : []),
  ].join('\n');
}

/** One line, for while a run goes on. */
export function lineOf(finding: Finding): string {
  return cellsOf(finding).join(' | ');
}

export function repeatLine({ attack }: Finding): string {
  return `npm run test:abuse -- --only '${labelOf(attack).replaceAll("'", "'\\''")}'`;
}

/** Whether an attack is meant by a text, in which a blank may be typed for the sign that shows one. */
export function isMeant(label: string, only: string): boolean {
  return label.replaceAll('␠', ' ').includes(only.replaceAll('␠', ' '));
}

const HEADINGS = ['way in', 'field', 'entry', 'size', 'stall', 'memory', 'answer', 'status', 'what is wrong'];

function cellsOf({ attack, stallMs, memoryBytes, answerBytes, status, wrong }: Finding): string[] {
  return [
    ...[attack.wayIn, attack.field, attack.entry, inMb(attack.bytes), `${Math.round(stallMs)} ms`],
    ...[inMb(memoryBytes), inMb(answerBytes), status.slice(0, 60), wrong.join('; ').slice(0, 300)],
  ];
}

function table(findings: Finding[]): string[] {
  const rows = [HEADINGS, ...findings.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}

function repeats(findings: Finding[]): string[] {
  return ['To repeat one:', ...findings.map((finding) => `  ${repeatLine(finding)}`)];
}
