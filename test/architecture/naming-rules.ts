import type { SourceFile } from './source-file.js';

/**
 * Files are in kebab-case and named after what they hold. Names that could hold anything are refused:
 * as a whole name, and where they are never part of a real one, also as the last word of a name.
 */
const VAGUE = ['utils', 'util', 'helpers', 'helper', 'common', 'lib', 'misc', 'types', 'interfaces'];
const VAGUE_ENDINGS = ['utils', 'util', 'helpers', 'helper', 'manager', 'managers', 'service', 'services'];

export function checkNames(file: SourceFile): string[] {
  const problems: string[] = [];
  for (const part of file.path.split('/')) {
    const name = part.replace(/(?:\.(?:test|fixture|d))?\.ts$/, '');
    if (VAGUE.includes(name) || VAGUE_ENDINGS.includes(name.split('-').at(-1)!)) {
      problems.push(`${file.path}: "${name}" says nothing; name it after what it holds`);
    }
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) problems.push(`${file.path}: "${name}" is not kebab-case`);
  }
  return problems;
}
