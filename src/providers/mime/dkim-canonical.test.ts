import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { relaxBody, relaxHeader } from './dkim-canonical.js';

/** RFC 6376, section 3.4. */
describe('relaxHeader', () => {
  test.each([
    ['white space at the end', 'Subject: Your code \t ', 'subject:Your code'],
    ['a fold at the end', 'Subject: Your code\r\n ', 'subject:Your code'],
    ['white space at the beginning', 'Subject: \t Your code', 'subject:Your code'],
    ['none at the beginning', 'Subject:Your code', 'subject:Your code'],
    ['white space around the colon', 'SUBJECT \t:\t Your code', 'subject:Your code'],
    ['a fold within', 'Subject: Your\r\n\t code', 'subject:Your code'],
    ['runs within', 'Subject: Your \t\t  code', 'subject:Your code'],
    ['nothing but white space', 'Subject: \t \r\n ', 'subject:'],
    ['nothing', 'Subject:', 'subject:'],
    ['colons in the value', 'Subject: a : b: c ', 'subject:a : b: c'],
  ])('%s → the form the RFC gives', (_case, line, relaxed) => {
    expect(relaxHeader(line)).toBe(relaxed);
  });

  test('any words with any white space and folds around them → the same form', () => {
    const blank = fc
      .array(fc.constantFrom(' ', '\t', '\r\n ', '\r\n\t'), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join(''));
    const word = fc.stringMatching(/^[!-~]{1,8}$/);
    fc.assert(
      fc.property(fc.array(fc.tuple(word, blank), { minLength: 1 }), blank, (words, before) => {
        const value = words.map(([text, after]) => text + after).join('');
        const plain = words.map(([text]) => text).join(' ');
        expect(relaxHeader(`X-Name:${before}${value}`)).toBe(`x-name:${plain}`);
      }),
    );
  });
});

describe('relaxBody', () => {
  test.each([
    ['white space at the end of lines', 'a \t\r\nb\t\r\n', 'a\r\nb\r\n'],
    ['runs within a line', 'a \t b\r\n', 'a b\r\n'],
    ['at the beginning of a line', '\t a\r\n', ' a\r\n'],
    ['empty lines at the end', 'a\r\n\r\n \r\n\t\r\n', 'a\r\n'],
    ['empty lines within', 'a\r\n\r\nb\r\n', 'a\r\n\r\nb\r\n'],
    ['no line end', 'a', 'a\r\n'],
    ['nothing', '', ''],
    ['nothing but empty lines', '\r\n \r\n', ''],
  ])('%s → the form the RFC gives', (_case, body, relaxed) => {
    expect(relaxBody(Buffer.from(body)).toString()).toBe(relaxed);
  });
});
