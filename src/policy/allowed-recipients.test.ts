import { expect, it } from 'vitest';
import { findNotAllowed } from './allowed-recipients.js';

it('no list → everybody', () => {
  expect(findNotAllowed(['a@example.com'], null)).toBeNull();
});

it('a list → its domains in any case, and neither those below nor those that look alike', () => {
  const allowed = ['example.com'];
  expect(findNotAllowed(['a@example.com', 'b@EXAMPLE.com'], allowed)).toBeNull();
  for (const outside of [
    'a@sub.example.com',
    'a@notexample.com',
    'a@example.com.net',
    '"x@example.com"@evil.net',
  ])
    expect(findNotAllowed(['a@example.com', outside], allowed)).toBe(outside);
});
