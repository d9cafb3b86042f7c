import { expect, test } from 'vitest';
import { extraMsFor } from './extra-ms-for.js';

test('one small email → hardly any; many or large ones → in proportion', () => {
  const small = { html: '<p>Hello</p>', text: 'Hello' };
  expect(extraMsFor([small])).toBeLessThan(5);
  expect(extraMsFor(Array.from({ length: 1000 }, () => small))).toBeGreaterThan(4000);
  expect(extraMsFor([{ text: 'x', attachments: [{ content: 'x'.repeat(10_000_000) }] }])).toBe(2001);
});

test.each([null, undefined, 7, 'text', { attachments: 'none' }, { attachments: [null] }])(
  'input nobody has checked: %s → no time and no error',
  (input) => {
    expect(extraMsFor([input])).toBe(0);
  },
);
