import type { WriteMode } from './escape-value.js';
import type { Dynamic, Scope } from './value.js';

/** A template after binding: text that never changes, values that do, and the two blocks. */
export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'slot'; value: Dynamic; mode: WriteMode }
  | { kind: 'if'; test(scope: Scope): boolean; body: Piece[]; otherwise: Piece[] }
  | { kind: 'each'; list: Dynamic; depth: number; body: Piece[]; otherwise: Piece[] };
