import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasControlCharacter } from './control-characters.js';
import { isPostriderError } from './errors.js';
import { parseHeaders, parseHeaderText } from './header-text.js';

describe('parseHeaders', () => {
  test('ordinary headers → kept as they are', () => {
    const headers = {
      'X-Campaign': 'spring',
      'List-Unsubscribe': '<https://x.example/u?a=1>',
      'X-Name': ' Blåbær ',
    };
    expect(parseHeaders(headers, 'headers')).toEqual(headers);
    expect(parseHeaders(undefined, 'headers')).toEqual({});
  });

  const structural = [
    ...[
      'From',
      'To',
      'Cc',
      'BCC',
      'subject',
      'Date',
      'Message-ID',
      'MIME-Version',
      'Content-Type',
      'Content-Anything',
    ],
    ...['Sender', 'Return-Path', 'Received', 'DKIM-Signature', 'reply-to', 'X-Postrider-Id'],
    ...['Resent-From', 'Resent-To', 'resent-message-id', 'Resent-Anything', 'Authentication-Results'],
    ...['ARC-Seal', 'ARC-Message-Signature', 'arc-authentication-results', 'Received-SPF', 'Delivered-To'],
  ];
  test.each(structural)('%s → refused, Postrider writes it', (name) => {
    expect(() => parseHeaders({ [name]: 'x' }, 'headers')).toThrow(
      expect.objectContaining({ code: 'INVALID_HEADER', field: `headers.${name}` }),
    );
  });

  test.each([
    [{ 'X-A': 'a\r\nBcc: b@c.example' }, 'headers.X-A'],
    [{ 'X-A': 'a\n' }, 'headers.X-A'],
    [{ 'X-A': '\ta' }, 'headers.X-A'],
    [{ 'X-A': 'a\u0000' }, 'headers.X-A'],
    [{ 'X-A': 'a\u202e' }, 'headers.X-A'],
    [{ 'X-A': '\ud800' }, 'headers.X-A'],
    [{ 'X-A': 1 }, 'headers.X-A'],
    [{ 'X-A': null }, 'headers.X-A'],
    [{ 'X-A': ['a'] }, 'headers.X-A'],
    [{ 'X-A': 'a'.repeat(2001) }, 'headers.X-A'],
    [{ 'X-A': `a ${'b'.repeat(901)}` }, 'headers.X-A'],
    [{ References: '<ü@example.com>' }, 'headers.References'],
    [{ 'List-Unsubscribe': '<ü>' }, 'headers.List-Unsubscribe'],
    [Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`X-${i}`, 'ab '.repeat(600)])), 'headers'],
    [Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`X-${i}`, 'ü'.repeat(900)])), 'headers'],
    [{ 'X-A': 'a', 'x-a': 'b' }, 'headers.x-a'],
    [{ 'X A': 'a' }, 'headers.X A'],
    [{ 'X-A:': 'a' }, 'headers.X-A:'],
    [{ 'X-Å': 'a' }, 'headers.X-Å'],
    [{ '1X': 'a' }, 'headers.1X'],
    [{ '': 'a' }, 'headers.'],
    [{ 'X\r\nBcc': 'a' }, 'headers'],
    [{ ['X'.repeat(65)]: 'a' }, 'headers'],
    [JSON.parse('{"__proto__":"a"}'), 'headers.__proto__'],
    [Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`X-${i}`, 'a'])), 'headers'],
    [['X-A'], 'headers'],
    ['X-A: a', 'headers'],
  ])('%j → refused with field %s', (input, field) => {
    expect(() => parseHeaders(input, 'headers')).toThrow(
      expect.objectContaining({ code: 'INVALID_HEADER', field }),
    );
  });

  test('constructor and prototype → names like any other', () => {
    const headers = parseHeaders(JSON.parse('{"constructor":"a","Prototype":"b","toString":"c"}'), 'headers');
    expect(Object.entries(headers)).toEqual([
      ['constructor', 'a'],
      ['Prototype', 'b'],
      ['toString', 'c'],
    ]);
    expect(parseHeaders({}, 'headers').constructor).toBeUndefined();
  });

  test('anything → a PostriderError, or headers without control characters', () => {
    const input = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,9}$/), fc.string({ unit: 'binary' })),
      fc.dictionary(fc.string({ unit: 'binary' }), fc.string()),
    );
    fc.assert(
      fc.property(input, (value) => {
        try {
          for (const [name, text] of Object.entries(parseHeaders(value, 'headers'))) {
            expect(name).toMatch(/^[A-Za-z][A-Za-z0-9-]*$/);
            expect(hasControlCharacter(text)).toBe(false);
          }
        } catch (error) {
          if (!isPostriderError(error)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});

test('header text at its limit → accepted; one more → refused', () => {
  expect(parseHeaderText('abc', 'x', { maxLength: 3 })).toBe('abc');
  expect(() => parseHeaderText('abcd', 'x', { maxLength: 3 })).toThrow(/longer than 3/);
});
