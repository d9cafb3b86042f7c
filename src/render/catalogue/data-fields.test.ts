import { expect, test } from 'vitest';
import { cpuMs } from '../../kernel/longest-turn.fixture.js';
import { link } from './data-fields.js';

test('a link of a quarter of a million letters → refused at once', () => {
  const letters = Array.from({ length: 250_000 }, (_, at) => String.fromCodePoint(0x4e00 + (at % 20_000)));
  const began = cpuMs();
  expect(link.safeParse(`https://${letters.join('')}.example/`).success).toBe(false);
  expect(link.safeParse(`https://${letters.slice(0, 1900).join('')}.example/`).success).toBe(false);
  expect(cpuMs() - began).toBeLessThan(500);
  expect(link.safeParse('https://münchen.example/straße').success).toBe(true);
});
