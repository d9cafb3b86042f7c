import { deriveText } from '../derive-text.js';
import type { Piece } from './piece.js';

/**
 * The plain text of an HTML template, derived once when it is compiled and not for every email: values and blocks are
 * held by marks while the markup is read, and put back where the marks ended up.
 */
export function derivePlainPieces(pieces: readonly Piece[]): Piece[] {
  const marks: Mark[] = [];
  const html = markUp(pieces, marks);
  const text = deriveText(html).replaceAll(LINK_MARK, OPEN).replace(LONE_LINE, '$1');
  return restore(text, marks);
}

const OPEN = '\uE000';
const CLOSE = '\uE001';
/** So that a link that begins with a value is seen as one. */
const LINK_MARK = `https://${OPEN}`;
const MARK = /\uE000b?(\d+)\uE001/g;
/** A block's mark on a line of its own leaves no empty line where the block is left out. */
const LONE_LINE = /^((?:\uE000b\d+\uE001)+)\n/gm;

type Mark = Piece | 'else' | 'end';

function markUp(pieces: readonly Piece[], marks: Mark[]): string {
  const mark = (what: Mark) =>
    `${OPEN}${typeof what === 'string' || what.kind !== 'slot' ? 'b' : ''}${marks.push(what) - 1}${CLOSE}`;
  let html = '';
  for (const piece of pieces) {
    if (piece.kind === 'text') html += piece.text;
    else if (piece.kind === 'slot') html += piece.mode === 'url' ? `https://${mark(piece)}` : mark(piece);
    else {
      html += mark(piece) + markUp(piece.body, marks);
      html += mark('else') + markUp(piece.otherwise, marks) + mark('end');
    }
  }
  return html;
}

function restore(text: string, marks: readonly Mark[]): Piece[] {
  const root: Piece[] = [];
  const open: Array<{ block: Extract<Piece, { otherwise: Piece[] }>; outer: Piece[] }> = [];
  let current = root;
  let at = 0;
  for (const match of text.matchAll(MARK)) {
    if (match.index > at) current.push({ kind: 'text', text: text.slice(at, match.index) });
    at = match.index + match[0].length;
    const mark = marks[Number(match[1])]!;
    if (mark === 'else') {
      current = [];
      (open.at(-1) ?? unbalanced()).block.otherwise = current;
    } else if (mark === 'end') current = (open.pop() ?? unbalanced()).outer;
    else if (mark.kind === 'slot') current.push({ ...mark, mode: 'plain' });
    else if (mark.kind !== 'text') {
      const inner: Piece[] = [];
      const block = { ...mark, body: inner, otherwise: [] };
      current.push(block);
      open.push({ block, outer: current });
      current = inner;
    }
  }
  if (open.length > 0) unbalanced();
  if (at < text.length) current.push({ kind: 'text', text: text.slice(at) });
  return root;
}

/** A block that begins in shown text and ends in hidden text, or the other way round. */
function unbalanced(): never {
  throw new Error('a block mixes shown and hidden parts, so no plain text can be derived; write one');
}
