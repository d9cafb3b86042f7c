import { expect, test } from 'vitest';
import { cpuMs } from './longest-turn.fixture.js';
import { domainInAscii, parseUrl } from './parse-url.js';

const different = (count: number) =>
  Array.from({ length: count }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7) % 20_000))).join('');

test.each([
  ['different letters', different],
  ['marks in no order', (count: number) => `a${'\u0301\u0316'.repeat(count / 2)}`],
  ['labels', (count: number) => '漢.'.repeat(count / 2)],
  ['labels in punycode', (count: number) => `xn--${'a'.repeat(count)}`],
])('a host of half a million characters (%s) → nothing, at once', (_what, make) => {
  const host = make(500_000);
  const began = cpuMs();
  for (const text of [`https://${host}.example/`, `https://a.example\\@${host}`, `ht\ttps:${host}`])
    expect(parseUrl(text)).toBeNull();
  for (const length of [1000, 2000, 8000])
    for (const text of [`https://${make(length)}/`, `http:${make(length)}`, `//\n${make(length)}`])
      parseUrl(text);
  expect(domainInAscii(make(8000))?.length ?? 0).toBeLessThan(10_000);
  expect(cpuMs() - began).toBeLessThan(500);
});

test('a URL as people write it → as the standard reads it', () => {
  expect(parseUrl(`https://münchen.example/${'ä'.repeat(200)}/${'a'.repeat(2000)}?q=ü`)?.host).toBe(
    'xn--mnchen-3ya.example',
  );
  expect(parseUrl('no url')).toBeNull();
  expect(domainInAscii('münchen.example')).toBe('xn--mnchen-3ya.example');
  expect(domainInAscii('a..\ud800')).toBeNull();
});
