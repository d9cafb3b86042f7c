import { dataProblem } from './template-problem.js';

/**
 * What an expression became: known when compiled, or read from the data of one email. Reading looks at own properties
 * only, and names what it misses.
 */
export type Value = Constant | Dynamic;

export interface Constant {
  constant: string | number | boolean;
}

export interface Dynamic {
  /** undefined and null where there is nothing; the reader decides whether that is an error. */
  get(scope: Scope): unknown;
  /** As the sender would name it: `data.items[2].title`. */
  field(scope: Scope): string;
  /** The schema of what it gives, as far as it is known. */
  shape?: unknown;
}

export interface Scope {
  data: unknown;
  /** The item and index of each open list, the outermost first. */
  items: unknown[];
  indexes: number[];
  /** What is left of what one email may cost. */
  budget: Budget;
}

export interface Budget {
  /** Of lists. */
  turns: number;
  /** Pieces that are written within them. */
  pieces: number;
  characters: number;
  /** Zones and formats that dates were shown in. */
  dateFormats: Set<string>;
}

export function isConstant(value: Value): value is Constant {
  return 'constant' in value;
}

export function newScope(data: unknown): Scope {
  const budget = {
    turns: MAX_TURNS,
    pieces: MAX_PIECES,
    characters: MAX_CHARACTERS,
    dateFormats: new Set<string>(),
  };
  return { data, items: [], indexes: [], budget };
}

const MAX_TURNS = 10_000;
const MAX_PIECES = 500_000;
/** More than policy lets through, so that its refusal is the one people read. */
const MAX_CHARACTERS = 2 * 1024 * 1024;

/** The text of a value that must be there. */
export function textOf(value: Value): (scope: Scope) => string {
  if (isConstant(value)) {
    const text = String(value.constant);
    return () => text;
  }
  return (scope) => {
    const found = value.get(scope);
    if (typeof found === 'string') return found;
    if (typeof found === 'number') return String(found);
    if (found === undefined || found === null) throw dataProblem(value.field(scope), 'is missing');
    throw dataProblem(value.field(scope), 'is not a text or a number');
  };
}

export function readPath(from: unknown, segments: readonly string[]): unknown {
  let value = from;
  for (let at = 0; at < segments.length; at++) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segments[at]!)) return undefined;
    value = (value as Record<string, unknown>)[segments[at]!];
  }
  return value;
}
