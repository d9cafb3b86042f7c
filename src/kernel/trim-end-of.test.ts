import { expect, test } from 'vitest';
import { trimEndOf } from './trim-end-of.js';

test.each([
  ['https://x.example//', '/', 'https://x.example'],
  ['///', '/', ''],
  ['a/b', '/', 'a/b'],
  ['a \t \t', ' \t', 'a'],
  ['', '/', ''],
])('%j without %j at its end → %j', (text, characters, trimmed) => {
  expect(trimEndOf(text, characters)).toBe(trimmed);
});
