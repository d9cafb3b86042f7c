import { importsOf } from './imports-of.js';
import { scanSource } from './scan-source.js';
import { isTest, roomOf, type SourceFile } from './source-file.js';

/**
 * The environment, the clock and randomness come from kernel, so that tests can hold them still.
 * `node:crypto` randomness is for secrets and stays allowed.
 */
const AMBIENT: Array<[RegExp, string]> = [
  [/\bprocess\s*\.\s*env\b/, 'process.env'],
  [/\benv\b[^{}]*\}\s*=\s*process\b/, 'env of process'],
  [/\bDate\s*\.\s*now\b/, 'Date.now'],
  [/\bnew\s+Date\s*(?:\(\s*\)|(?![\w\s(]))/, 'new Date()'],
  [/(?<!new\s+)(?<![\w.$])Date\s*\(/, 'Date()'],
  [/\bperformance\s*\.\s*now\b/, 'performance.now'],
  [/\bprocess\s*\.\s*(?:hrtime|uptime)\b/, 'process.hrtime or uptime'],
  [/\bMath\s*\.\s*random\b/, 'Math.random'],
];

export function checkAmbient(file: SourceFile): string[] {
  if (isTest(file) || roomOf(file.path) === 'kernel') return [];
  const { code } = scanSource(file.text);
  const found = AMBIENT.filter(([pattern]) => pattern.test(code)).map(([, name]) => name);
  // By name it hands out env without a dot for the patterns above to see.
  if (importsOf(file).some((imported) => imported.kind === 'node' && imported.name === 'process')) {
    found.push('node:process');
  }
  return found.map((name) => `${file.path}: uses ${name}; take it from kernel`);
}
