import { type Expression, FUNCTIONS, type FunctionName } from './syntax.js';

/**
 * Reads what stands between the braces: a path, a literal, or a call with positional and named arguments. Throws a
 * sentence without a line; the template's parser knows where it stands.
 */
export function parseExpression(source: string): Expression {
  const reader = new TokenReader(source);
  const expression = readCallOrOperand(reader);
  reader.expectEnd();
  return expression;
}

/** `x` or `x is "y"`. */
export function parseTest(source: string): { test: Expression; is: Expression | null } {
  const reader = new TokenReader(source);
  const test = readOperand(reader);
  if (reader.peek() !== 'is') {
    reader.expectEnd();
    return { test, is: null };
  }
  reader.take();
  const is = readOperand(reader);
  reader.expectEnd();
  return { test, is };
}

/** `xs` or `xs as x`. */
export function parseList(source: string): { list: Expression; as: string } {
  const match = /^(\S+)(?:\s+as\s+([A-Za-z_]\w*))?$/.exec(source);
  if (match === null) throw new Error('write {{#each list}} or {{#each list as item}}');
  const list = parseExpression(match[1]!);
  if (list.kind !== 'path') throw new Error('each needs a variable that holds a list');
  const as = match[2] ?? 'this';
  if (RESERVED.has(as)) throw new Error(`"${as}" is a reserved name`);
  return { list, as };
}

/** `button url=link label="x"`. */
export function parseInclude(source: string): { name: string; given: Record<string, Expression> } {
  const reader = new TokenReader(source);
  const name = reader.take();
  if (name === undefined || !/^[a-z][a-z0-9-]*$/.test(name)) throw new Error(`"${source}" names no piece`);
  const { values, named } = readArguments(reader);
  if (values.length > 0) throw new Error(`what ${name} is given needs names: ${name} label=…`);
  return { name, given: named };
}

/** Names that mean something everywhere and cannot be given to a piece or a list's item. */
const RESERVED = new Set(['brand', 'locale', 'app']);
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const MAX_SEGMENTS = 8;
const MAX_DEPTH = 4;
const TOKEN =
  /\s*(?:("(?:[^"\\]|\\["\\])*")|([A-Za-z_][\w-]*\s*=)|(-?\d+(?:\.\d+)?)(?![\w.])|([A-Za-z_][\w-]*(?:\.[A-Za-z_]\w*)*)|([()]))/y;

class TokenReader {
  private readonly tokens: string[] = [];
  private at = 0;

  constructor(source: string) {
    const text = source.trimEnd();
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const from = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (match === null) throw new Error(`"${text.slice(from).trim().slice(0, 40)}" is not understood`);
      this.tokens.push(match[0].trim());
    }
  }

  peek(): string | undefined {
    return this.tokens[this.at];
  }

  take(): string | undefined {
    return this.tokens[this.at++];
  }

  expectEnd(): void {
    if (this.at < this.tokens.length) throw new Error(`"${this.tokens[this.at]}" is not expected there`);
  }
}

function readCallOrOperand(reader: TokenReader, depth = 0): Expression {
  const name = reader.peek();
  const operand = readOperand(reader, depth);
  const next = reader.peek();
  if (next === undefined || next === ')') return operand;
  if (!isFunction(name)) throw new Error(`"${name}" is not a function; there are ${FUNCTIONS.join(', ')}`);
  return { kind: 'call', function: name, ...readArguments(reader, depth) };
}

function readArguments(reader: TokenReader, depth = 0) {
  const values: Expression[] = [];
  const named: Record<string, Expression> = {};
  for (let next = reader.peek(); next !== undefined && next !== ')'; next = reader.peek()) {
    if (!next.endsWith('=') || next.startsWith('"')) {
      values.push(readOperand(reader, depth));
      continue;
    }
    reader.take();
    const name = next.slice(0, -1).trim();
    if (RESERVED.has(name) || FORBIDDEN.has(name)) throw new Error(`"${name}" is a reserved name`);
    if (Object.hasOwn(named, name)) throw new Error(`"${name}" is given twice`);
    named[name] = readOperand(reader, depth);
  }
  return { values, named };
}

function readOperand(reader: TokenReader, depth = 0): Expression {
  const token = reader.take();
  if (token === undefined) throw new Error('something is missing');
  if (token.startsWith('"'))
    return { kind: 'literal', value: token.slice(1, -1).replace(/\\(["\\])/g, '$1') };
  if (/^-?\d/.test(token)) return { kind: 'literal', value: Number(token) };
  if (token === 'true' || token === 'false') return { kind: 'literal', value: token === 'true' };
  if (token === '(') {
    if (depth >= MAX_DEPTH) throw new Error('parentheses are nested too deep');
    const inner = readCallOrOperand(reader, depth + 1);
    if (reader.take() !== ')') throw new Error('a closing parenthesis is missing');
    return inner;
  }
  if (!/^[A-Za-z_]/.test(token) || token.endsWith('=') || token.includes('-'))
    throw new Error(`"${token}" is not expected there`);
  const segments = token.split('.');
  if (segments.length > MAX_SEGMENTS) throw new Error(`"${token}" has more than ${MAX_SEGMENTS} parts`);
  const forbidden = segments.find((segment) => FORBIDDEN.has(segment));
  if (forbidden !== undefined) throw new Error(`"${forbidden}" is not a variable`);
  return { kind: 'path', segments };
}

function isFunction(name: string | undefined): name is FunctionName {
  return FUNCTIONS.some((known) => known === name);
}
