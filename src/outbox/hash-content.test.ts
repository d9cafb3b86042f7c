import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashContent } from './hash-content.js';

test.each([
  ['small', 10],
  ['just large', 32 * 1024],
  ['large', 300_000],
])('%s content → the hash of its one text, whichever way it is taken', (_size, words) => {
  const content = { subject: 'Grüße', html: `<p>${'wörd '.repeat(words)}</p>`, text: 'wörd '.repeat(words) };
  const { subject, html, text } = content;
  const whole = `${subject.length}:${html.length}:${text.length}:${subject}${html}${text}`;
  expect(hashContent(content)).toBe(createHash('sha256').update(whole).digest('hex'));
});

test.each([21_844, 21_845, 21_846])(
  '%i characters of three bytes with their head → the same hash',
  (length) => {
    const head = `1:0:${length - 10}:€`;
    const text = '€'.repeat(length - head.length);
    const whole = `1:0:${text.length}:€${text}`;
    expect(whole).toHaveLength(length);
    expect(hashContent({ subject: '€', html: '', text })).toBe(
      createHash('sha256').update(whole).digest('hex'),
    );
  },
);
