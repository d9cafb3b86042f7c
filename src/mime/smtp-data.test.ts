import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SmtpData } from './smtp-data.js';

/** Read as one: what a client means by it. */
function plainly(wire: string): { content: string; rest: string | null } {
  const whole = `\r\n${wire}`;
  const end = whole.indexOf('\r\n.\r\n');
  const content = end === -1 ? whole : whole.slice(0, end + 2);
  return {
    content: content.replaceAll('\n..', '\n.').slice(2),
    rest: end === -1 ? null : whole.slice(end + 5),
  };
}

function inPieces(wire: string, cuts: readonly number[]): { content: string; rest: string | null } {
  const data = new SmtpData();
  let content = '';
  const places = [...new Set(cuts.map((cut) => cut % (wire.length + 1)))].sort((a, b) => a - b);
  for (const [index, from] of [0, ...places].entries()) {
    const piece = Buffer.from(wire.slice(from, places[index] ?? wire.length), 'latin1');
    const read = data.read(piece);
    content += read.content.toString('latin1');
    if (read.rest !== null)
      return { content, rest: read.rest.toString('latin1') + wire.slice(places[index] ?? wire.length) };
  }
  return { content, rest: null };
}

const wires = fc
  .array(fc.constantFrom('\r\n', '.', '..', '\n', '\r', 'a', 'line', '\r\n.', '\r\n..'), { maxLength: 30 })
  .map((pieces) => pieces.join(''));

test('any data with an end, cut anywhere → the same content and the same rest', () => {
  fc.assert(
    fc.property(wires, fc.array(fc.nat(), { maxLength: 12 }), (wire, cuts) => {
      const ended = `${wire}\r\n.\r\nMAIL FROM:<>\r\n`;
      expect(inPieces(ended, cuts)).toEqual(plainly(ended));
      expect(
        inPieces(
          ended,
          [...ended].map((_, at) => at),
        ),
      ).toEqual(plainly(ended));
    }),
    { numRuns: 2000 },
  );
});

test('an end at once → empty content; a doubled dot alone → a dot', () => {
  expect(inPieces('.\r\nQUIT', [])).toEqual({ content: '', rest: 'QUIT' });
  expect(inPieces('..\r\n.\r\n', [1, 2, 3])).toEqual({ content: '.\r\n', rest: '' });
});

test('LF, dot, LF → content and no end', () => {
  expect(inPieces('a\n.\nb\r\n.\r\n', [2])).toEqual({ content: 'a\n.\nb\r\n', rest: '' });
});
