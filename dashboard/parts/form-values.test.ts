import { expect, test } from 'vitest';
import { exactOf, given, numberOf, textOf, wordsOf } from './form-values.js';

const form = new FormData();
for (const [name, value] of Object.entries({
  ...{
    padded: '  a b  ',
    empty: '   ',
    count: '12',
    wrong: 'twelve',
    words: ' a.example, b.example;\nc.example ',
  },
}))
  form.set(name, value);

test('texts → trimmed, or to the letter; a field that is not there is empty', () => {
  expect([textOf(form, 'padded'), exactOf(form, 'padded'), textOf(form, 'absent')]).toEqual([
    ...['a b', '  a b  ', ''],
  ]);
});

test('what was given → without the empty ones', () => {
  expect(given(form, 'padded', 'empty', 'absent')).toEqual({ padded: 'a b' });
});

test('words → by commas, blanks and lines; none → null', () => {
  expect(wordsOf(form, 'words')).toEqual(['a.example', 'b.example', 'c.example']);
  expect(wordsOf(form, 'empty')).toBeNull();
});

test('a number → a number; what is none → as typed, so that the API names it', () => {
  expect([numberOf(form, 'count'), numberOf(form, 'wrong'), numberOf(form, 'empty')]).toEqual([
    ...[12, 'twelve', null],
  ]);
});
