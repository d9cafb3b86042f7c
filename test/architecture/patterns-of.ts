import { parseAst } from 'vite';
import type { SourceFile } from './source-file.js';

/** A regular expression of a source: one that is written out, or one made of a text, which shows the text as written. */
export type Pattern =
  | { kind: 'literal'; path: string; source: string; flags: string }
  | { kind: 'made'; path: string; text: string };

export function patternsOf({ path, text }: SourceFile): Pattern[] {
  const found: Pattern[] = [];
  const look = (node: unknown): void => {
    if (Array.isArray(node)) for (const one of node) look(one);
    else if (isNode(node)) {
      const pattern = asPattern(node, path, text);
      if (pattern !== null) found.push(pattern);
      for (const value of Object.values(node)) if (typeof value === 'object') look(value);
    }
  };
  look(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }).body);
  return found;
}

interface Node {
  type: string;
  start: number;
  end: number;
  regex?: { pattern: string; flags: string };
  callee?: { type: string; name?: string };
  arguments?: Node[];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && !(value instanceof RegExp);
}

function asPattern(node: Node, path: string, text: string): Pattern | null {
  if (node.type === 'Literal' && node.regex)
    return { kind: 'literal', path, source: node.regex.pattern, flags: node.regex.flags };
  const isCall = node.type === 'NewExpression' || node.type === 'CallExpression';
  if (!isCall || node.callee?.name !== 'RegExp') return null;
  const [first] = node.arguments ?? [];
  return { kind: 'made', path, text: first ? text.slice(first.start, first.end) : '' };
}
