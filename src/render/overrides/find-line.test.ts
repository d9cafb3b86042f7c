import { expect, it } from 'vitest';
import { findLine } from './find-line.js';

const hasX = (text: string) => text.includes('x');

it.each([
  ['on the first line', 'x\na\nb', 1],
  ['in the middle', 'a\nb\nx\nc\nd', 3],
  ['on the last line', 'a\nb\nx', 3],
  ['twice', 'a\nx\nb\nx', 2],
])('a fault %s → that line', async (_, text, line) => {
  expect(await findLine(text, hasX)).toBe(line);
});

it('no fault in the text itself → none', async () => {
  expect(await findLine('a\nb', hasX)).toBeNull();
});

it('a long text → looked at a few times', async () => {
  let looks = 0;
  const text = `${'a\n'.repeat(100_000)}x\n${'a\n'.repeat(100_000)}`;
  const line = await findLine(text, (start) => {
    looks += 1;
    return hasX(start);
  });
  expect(line).toBe(100_001);
  expect(looks).toBeLessThan(25);
});
