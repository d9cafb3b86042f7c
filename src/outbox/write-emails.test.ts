import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hashContent } from './write-emails.js';

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
