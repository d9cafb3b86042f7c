import { escaperFor } from './escape-value.js';
import type { Piece } from './piece.js';
import { dataProblem } from './template-problem.js';
import { type Dynamic, type Scope, textOf } from './value.js';

/**
 * Makes one function of bound pieces: neighbouring text is joined, the rest are closures. What one email may cost
 * in turns of lists, in pieces and in characters is bounded, whatever the data.
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
    case 'slot':
      return writeSlot(piece);
    case 'if': {
      const then = assemble(piece.body);
      const otherwise = assemble(piece.otherwise);
      return (scope) => (piece.test(scope) ? then(scope) : otherwise(scope));
    }
    case 'each':
      return writeEach(piece);
  }
}

function writeSlot({ value, mode }: Extract<Piece, { kind: 'slot' }>): (scope: Scope) => string {
  const read = textOf(value);
  const writeSafely = escaperFor(mode);
  const needsField = mode !== 'plain' && mode !== 'text' && mode !== 'attribute';
  return (scope) => {
    const text = writeSafely(read(scope), needsField ? value.field(scope) : '');
    scope.budget.characters -= text.length;
    if (scope.budget.characters < 0) throw tooLong(value, scope);
    return text;
  };
}

function writeEach(piece: Extract<Piece, { kind: 'each' }>): (scope: Scope) => string {
  const { list, depth } = piece;
  const body = assemble(piece.body);
  const otherwise = assemble(piece.otherwise);
  const piecesOfTurn = countPieces(piece.body);
  return (scope) => {
    const { budget } = scope;
    const items = list.get(scope);
    if (!Array.isArray(items))
      throw dataProblem(list.field(scope), items === undefined ? 'is missing' : 'is not a list');
    if (items.length === 0) return otherwise(scope);
    let text = '';
    for (let index = 0; index < items.length; index++) {
      budget.turns -= 1;
      budget.pieces -= piecesOfTurn;
      if (budget.turns < 0 || budget.pieces < 0) throw tooLong(list, scope);
      scope.items[depth] = items[index];
      scope.indexes[depth] = index;
      const before = budget.characters;
      const turn = body(scope);
      // What stands within it has been counted, and is not counted twice.
      budget.characters = before - turn.length;
      if (budget.characters < 0) throw tooLong(list, scope);
      text += turn;
    }
    return text;
  };
}

/** With those within blocks, any of which may be written. */
export function countPieces(pieces: readonly Piece[]): number {
  let all = pieces.length;
  for (const piece of pieces)
    if (piece.kind === 'if' || piece.kind === 'each')
      all += countPieces(piece.body) + countPieces(piece.otherwise);
  return all;
}

function tooLong(value: Dynamic, scope: Scope) {
  return dataProblem(value.field(scope), 'makes the email too long');
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
