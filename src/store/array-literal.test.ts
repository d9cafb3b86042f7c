import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { arrayLiteral } from './array-literal.js';

/** `as unknown`: declared as a function, but it is this. */
const reader = pg.types.arrayParser as unknown as {
  create(text: string, parse: (text: string) => unknown): { parse(): unknown[] };
};

test('any texts and nulls → read back the same', () => {
  const texts = fc.array(
    fc.option(fc.oneof(fc.string(), fc.constantFrom('', 'NULL', '{"a\\":1}', ' ', ',', '}'))),
  );
  fc.assert(
    fc.property(texts, (values) => {
      expect(reader.create(arrayLiteral(values), (text) => text).parse()).toEqual(values);
    }),
  );
});

test('numbers and nulls → without quotes', () => {
  expect(arrayLiteral([1, null, -2.5])).toBe('{1,NULL,-2.5}');
  expect(arrayLiteral([])).toBe('{}');
  // What the types forbid is nothing either, and not a word.
  expect(arrayLiteral([undefined as never])).toBe('{NULL}');
});
