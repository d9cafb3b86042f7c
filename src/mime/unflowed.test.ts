import { expect, test } from 'vitest';
import { longestTurn } from '../kernel/longest-turn.fixture.js';
import { unflowed } from './unflowed.js';

test.each([
  ['a paragraph in lines', 'Hello \nthere\nyou\n', false, 'Hello there\nyou\n'],
  ['spaces added to break', 'Hel \nlo\n', true, 'Hello\n'],
  ['a line that was stuffed', ' From here\n  two\n', false, 'From here\n two\n'],
  ['a signature after a line that goes on', 'Hello \n-- \nAnn\n', false, 'Hello \n-- \nAnn\n'],
  ['empty lines', 'a\n\n\nb\n', false, 'a\n\n\nb\n'],
  ['an end that goes on', 'a \n', false, 'a '],
  ['nothing', '', false, ''],
])('%s → put together', (_what, text, delSp, whole) => {
  expect(unflowed(text, delSp)).toBe(whole);
});

test.each(['-- \n', ' \n', 'a \n', '\n'])('half a megabyte of %j → in no time', async (line) => {
  const { total } = await longestTurn(async () => unflowed(line.repeat((512 * 1024) / line.length), true));
  expect(total).toBeLessThan(500);
});
