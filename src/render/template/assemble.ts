import { escaperFor } from './escape-value.js';
import type { Piece } from './piece.js';
import { dataProblem } from './template-problem.js';
import { type Scope, textOf } from './value.js';

/**
 * Makes one function of bound pieces: neighbouring text is joined, the rest are closures. What one email may cost
 * in turns of lists and in characters is bounded, whatever the data.
 */
export function assemble(pieces: readonly Piece[]): (scope: Scope) => string {
  const parts = joinText(pieces).map(write);
  if (parts.length === 1) return parts[0]!;
  return (scope) => {
    let text = '';
    for (let at = 0; at < parts.length; at++) text += parts[at]!(scope);
    return text;
  };
}

function write(piece: Piece): (scope: Scope) => string {
  switch (piece.kind) {
    case 'text': {
      const { text } = piece;
      return () => text;
    }
    case 'slot': {
      const read = textOf(piece.value);
      const writeSafely = escaperFor(piece.mode);
      const { value } = piece;
      if (piece.mode === 'plain') return read;
      if (piece.mode === 'text' || piece.mode === 'attribute') return (scope) => writeSafely(read(scope), '');
      return (scope) => writeSafely(read(scope), value.field(scope));
    }
    case 'if': {
      const then = assemble(piece.body);
      const otherwise = assemble(piece.otherwise);
      return (scope) => (piece.test(scope) ? then(scope) : otherwise(scope));
    }
    case 'each':
      return writeEach(piece);
  }
}

function writeEach(piece: Extract<Piece, { kind: 'each' }>): (scope: Scope) => string {
  const { list, depth } = piece;
  const body = assemble(piece.body);
  const otherwise = assemble(piece.otherwise);
  return (scope) => {
    const items = list.get(scope);
    if (!Array.isArray(items))
      throw dataProblem(list.field(scope), items === undefined ? 'is missing' : 'is not a list');
    if (items.length === 0) return otherwise(scope);
    let text = '';
    for (let index = 0; index < items.length; index++) {
      scope.budget.turns -= 1;
      if (scope.budget.turns < 0) throw dataProblem(list.field(scope), 'makes the email too long');
      scope.items[depth] = items[index];
      scope.indexes[depth] = index;
      const turn = body(scope);
      scope.budget.characters -= turn.length;
      if (scope.budget.characters < 0) throw dataProblem(list.field(scope), 'makes the email too long');
      text += turn;
    }
    return text;
  };
}

function joinText(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: last.text + piece.text };
    else joined.push(piece);
  }
  return joined;
}
