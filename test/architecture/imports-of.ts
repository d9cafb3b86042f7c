import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { scanSource } from './scan-source.js';
import type { SourceFile } from './source-file.js';

/**
 * Everything a file names as another module: import and export-from with or without `type`, `import('x')` as
 * value or type, `require('x')`, and `new URL('./x.js', import.meta.url)`, by which worker threads are started.
 */
export function importsOf(file: SourceFile): Import[] {
  const { code, literals } = scanSource(file.text);
  const at = new Map(literals.map((literal) => [literal.start, literal.value]));
  const found: Import[] = [];
  for (const { pattern, computable } of FORMS) {
    for (const match of code.matchAll(pattern)) {
      const specifier = at.get(match.index + match[0].length - 1);
      if (specifier !== undefined && !specifier.includes('${')) found.push(resolve(file, specifier));
      else if (computable) found.push({ kind: 'computed' });
    }
  }
  return found;
}

export type Import =
  | { kind: 'file' /** From src; starts with ../ when it leaves it. */; path: string }
  | { kind: 'package'; name: string }
  | { kind: 'node'; name: string }
  | { kind: 'computed' };

/** Each match ends with the opening quote, or with whatever stands where one is expected. */
const FORMS = [
  { pattern: /\b(?:import|export)\b[\w\s{},*$]*?\bfrom\s*['"]/g, computable: false },
  { pattern: /\bimport\s*['"]/g, computable: false },
  { pattern: /\b(?:import|require)\s*\(\s*\S/g, computable: true },
  { pattern: /\bnew\s+URL\s*\(\s*['"`](?=[^)]*\bimport\.meta\.url)/g, computable: false },
];

function resolve(file: SourceFile, specifier: string): Import {
  if (isBuiltin(specifier)) return { kind: 'node', name: specifier.replace(/^node:/, '') };
  if (!specifier.startsWith('.')) {
    const parts = specifier.split('/');
    return { kind: 'package', name: specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]! };
  }
  const path = posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, '.ts');
  return { kind: 'file', path };
}
