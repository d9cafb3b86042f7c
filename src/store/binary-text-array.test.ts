import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { binaryTextArray } from './binary-text-array.js';

describe('binaryTextArray', () => {
  it('two texts → one dimension of type text from index 1, each with its length in bytes', () => {
    const bytes = binaryTextArray(['a"\\', 'ü']);
    expect(bytes.toString('hex')).toBe(
      [
        '00000001',
        '00000000',
        '00000019',
        '00000002',
        '00000001',
        '00000003',
        '61225c',
        '00000002',
        'c3bc',
      ].join(''),
    );
  });

  it('a null among texts → the flag for nulls and the length -1', () => {
    const bytes = binaryTextArray([null, '']);
    expect(bytes.readInt32BE(4)).toBe(1);
    expect(bytes.subarray(20).toString('hex')).toBe('ffffffff00000000');
  });

  it('any list of texts → read back as it was', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(fc.array(fc.option(text), { maxLength: 20 }), (texts) => {
        expect(readBack(binaryTextArray(texts))).toEqual(texts);
      }),
    );
  });

  it('a text in pieces → the same as in one', () => {
    expect(binaryTextArray(['a', ['b', 'ü', '', 'c'], null])).toEqual(binaryTextArray(['a', 'büc', null]));
  });
});

function readBack(bytes: Buffer): Array<string | null> {
  const texts: Array<string | null> = [];
  let at = 20;
  for (let left = bytes.readInt32BE(12); left > 0; left--) {
    const length = bytes.readInt32BE(at);
    at += 4;
    texts.push(length < 0 ? null : bytes.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  expect(at).toBe(bytes.length);
  return texts;
}
