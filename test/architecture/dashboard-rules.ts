import { posix } from 'node:path';
import { importsOf } from './imports-of.js';
import type { SourceFile } from './source-file.js';

/**
 * The dashboard is the browser's part: it knows the types of the API's answers and none of its code, reaches the
 * server by one folder, and never puts markup into the page.
 */
const PACKAGES = new Set([
  'react',
  'react-dom',
  '@mantine/core',
  '@mantine/hooks',
  '@tanstack/react-query',
  'wouter',
  'uplot',
]);
const CLIENT = 'api/';

export function checkDashboard(file: SourceFile): string[] {
  const problems: string[] = [];
  for (const imported of importsOf(file)) {
    if (imported.kind === 'package' && !PACKAGES.has(imported.name))
      problems.push(`${file.path}: ${imported.name} is not a package of the dashboard`);
  }
  for (const [statement, path = ''] of file.text.matchAll(/^import [^;]*?from '([^']+)';/gms)) {
    const outside = path.startsWith('.') && posix.join(posix.dirname(file.path), path).startsWith('../');
    if (outside && !statement.startsWith('import type '))
      problems.push(`${file.path}: takes more than types from ${path}`);
  }
  if (/dangerouslySetInnerHTML|\.innerHTML|insertAdjacentHTML|document\.write|srcDoc/.test(file.text))
    problems.push(`${file.path}: puts markup into the page; HtmlFrame shows it`);
  if (!file.path.startsWith(CLIENT) && /\bfetch\(/.test(file.text))
    problems.push(`${file.path}: calls fetch; ${CLIENT} is the one way to the API`);
  return problems;
}
