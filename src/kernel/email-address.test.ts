import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasControlCharacter } from './control-characters.js';
import { isEmailAddress, isSameAddress, parseMailbox, parseMailboxes } from './email-address.js';
import { isPostriderError, PostriderError } from './errors.js';

function refusal(run: () => unknown): PostriderError {
  try {
    run();
  } catch (error) {
    if (error instanceof PostriderError) return error;
    throw error;
  }
  throw new Error('was accepted');
}

describe('parseMailbox', () => {
  test.each([
    ['a@b.example', { address: 'a@b.example' }],
    ['Ada.Lovelace+news@Mail.Example.COM', { address: 'Ada.Lovelace+news@Mail.Example.COM' }],
    ['Ada Lovelace <ada@b.example>', { address: 'ada@b.example', name: 'Ada Lovelace' }],
    ['<ada@b.example>', { address: 'ada@b.example' }],
    ['"Lovelace, Ada" <ada@b.example>', { address: 'ada@b.example', name: 'Lovelace, Ada' }],
    ['"The \\"Countess\\"" <ada@b.example>', { address: 'ada@b.example', name: 'The "Countess"' }],
    ['Dr. Å (Oslo) <a@b.example>', { address: 'a@b.example', name: 'Dr. Å (Oslo)' }],
    ['👩‍🚀 Team <a@b.example>', { address: 'a@b.example', name: '👩‍🚀 Team' }],
    ['post@blåbær.example', { address: 'post@xn--blbr-roah.example' }],
    ['pelé@b.example', { address: 'pelé@b.example' }],
    [{ address: 'a@b.example' }, { address: 'a@b.example' }],
    [
      { email: 'a@b.example', name: 'Ada' },
      { address: 'a@b.example', name: 'Ada' },
    ],
    [{ address: 'a@b.example', name: '' }, { address: 'a@b.example' }],
  ])('%j → accepted', (input, mailbox) => {
    expect(parseMailbox(input, 'to')).toEqual(mailbox);
  });

  test.each([
    ['', 'empty'],
    ['a', 'no domain'],
    ['a@', 'empty domain'],
    ['@b.example', 'empty local part'],
    ['a@b', 'no top-level domain'],
    ['a@@b.example', 'two at signs'],
    ['a@b@c.example', 'two at signs apart'],
    ['a@b.example, c@d.example', 'a list'],
    ['a@b.example;c@d.example', 'a list with a semicolon'],
    ['a@b.example, Bob <c@d.example>', 'a list hidden as a name'],
    ['x <y@z.example> <a@b.example>', 'two addresses in brackets'],
    ['a@b.example>', 'a bracket never opened'],
    ['Ada <a@b.example', 'a bracket never closed'],
    [' a@b.example', 'white space in front'],
    ['a@b.example ', 'white space behind'],
    ['a b@c.example', 'white space inside'],
    ['"a b"@c.example', 'a quoted local part'],
    ['a@[127.0.0.1]', 'an address literal'],
    ['a@127.0.0.1', 'an IP domain'],
    ['a@１２７.0.0.1', 'an IP domain in wide digits'],
    ['.a@b.example', 'a dot in front'],
    ['a..b@c.example', 'two dots'],
    ['a.@b.example', 'a dot at the end of the local part'],
    ['a@-b.example', 'a hyphen in front of a label'],
    ['a@b_c.example', 'an underscore in the domain'],
    ['a@b.example.', 'a dot at the end'],
    ['a@b.example\r\nBcc: c@d.example', 'a second header'],
    ['a@b.example\n', 'a newline at the end'],
    ['Ada\r\nBcc: c@d.example <a@b.example>', 'a second header in the name'],
    ['a\u0000@b.example', 'NUL'],
    ['a\t@b.example', 'a tab'],
    ['a\u007f@b.example', 'DEL'],
    ['a\u0085@b.example', 'a C1 control'],
    ['a\u2028@b.example', 'a Unicode line break'],
    ['a\u202e@b.example', 'a reading-direction override'],
    ['\u202eAda <a@b.example>', 'an override in the name'],
    ['\u2067Ada <a@b.example>', 'an isolate in the name'],
    ['a\u200b@b.example', 'an invisible space'],
    ['a@b\u00ad.example', 'a soft hyphen in the domain'],
    ['a\u3000@b.example', 'a wide space'],
    ['\ud800@b.example', 'a lone surrogate'],
    ['Ada \udc00 <a@b.example>', 'a lone surrogate in the name'],
    [`${'a'.repeat(65)}@b.example`, 'a local part over 64 bytes'],
    [`${'é'.repeat(33)}@b.example`, 'a local part over 64 bytes of UTF-8'],
    [
      `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(10)}.example`,
      'over 254',
    ],
    [`${'A'.repeat(300)} <a@b.example>`, 'a name over 256 characters'],
    ['a'.repeat(1_000_000), 'a megabyte'],
    [`a@b.example${'>'.repeat(500)}`, 'many brackets'],
    ['Ada "x <a@b.example>', 'a stray quote'],
    ['"Ada\\" <a@b.example>', 'a quote escaped and never closed'],
    [null, 'null'],
    [42, 'a number'],
    [['a@b.example'], 'a list where one is wanted'],
    [{}, 'an empty object'],
    [{ name: 'Ada' }, 'a name alone'],
    [{ address: 'a@b.example', email: 'c@d.example' }, 'two addresses'],
    [{ address: { toString: () => 'a@b.example' } }, 'an object as address'],
    [{ address: 'Ada <a@b.example>' }, 'a name inside address'],
    [{ address: 'a@b.example', name: 'x\r\nBcc: y' }, 'a second header in name'],
    [{ address: 'a@b.example', nmae: 'x' }, 'a misspelt key'],
    [JSON.parse('{"address":"a@b.example","__proto__":{"name":"x"}}'), 'a prototype key'],
  ])('%j (%s) → refused with its field', (input) => {
    const error = refusal(() => parseMailbox(input, 'to'));
    expect(error.code).toBe('INVALID_EMAIL');
    expect(error.field).toMatch(/^to(\.\w+)?$/);
    expect(hasControlCharacter(error.message)).toBe(false);
  });

  test('misspelt key → names the likely one', () => {
    expect(refusal(() => parseMailbox({ adress: 'a@b.example' }, 'from')).message).toMatch(
      /did you mean address/,
    );
  });

  test('any text → a PostriderError, or a mailbox that is safe in a header', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc
        .tuple(fc.string({ unit: 'binary' }), fc.emailAddress())
        .map(([name, address]) => `${name} <${address}>`),
      fc
        .tuple(fc.string(), fc.string({ unit: 'binary', maxLength: 3 }))
        .map(([a, b]) => `${a}@b${b}.example`),
      fc.anything(),
      fc.record({ address: fc.anything(), name: fc.anything() }),
    );
    fc.assert(
      fc.property(text, (input) => {
        try {
          const { address, name = '' } = parseMailbox(input, 'to');
          expect(isEmailAddress(address)).toBe(true);
          expect(address).not.toMatch(/[\s<>",;]/);
          expect(hasControlCharacter(address + name)).toBe(false);
          expect(parseMailbox({ address, name }, 'to').address).toBe(address);
        } catch (error) {
          if (!isPostriderError(error)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('ordinary generated addresses → most are accepted', () => {
    const accepted = fc.sample(fc.emailAddress(), 500).filter(isEmailAddress).length;
    expect(accepted).toBeGreaterThan(450);
  });
});

describe('parseMailboxes', () => {
  test('one, several and none → lists', () => {
    expect(parseMailboxes('a@b.example', 'cc', 2)).toEqual([{ address: 'a@b.example' }]);
    expect(parseMailboxes(['a@b.example', { email: 'c@d.example' }], 'cc', 2)).toHaveLength(2);
    expect(parseMailboxes(undefined, 'cc', 2)).toEqual([]);
  });

  test('a bad one among good ones → named by its place', () => {
    expect(refusal(() => parseMailboxes(['a@b.example', 'x'], 'cc', 2)).field).toBe('cc[1]');
    expect(refusal(() => parseMailboxes(new Array(1), 'cc', 2)).field).toBe('cc[0]');
  });

  test('too many → refused before any is read', () => {
    expect(refusal(() => parseMailboxes(Array(3).fill('x'), 'cc', 2)).field).toBe('cc');
  });
});

test('same address → domain ignores case, local part does not', () => {
  expect(isSameAddress('Ada@B.example', 'Ada@b.EXAMPLE')).toBe(true);
  expect(isSameAddress('Ada@b.example', 'ada@b.example')).toBe(false);
  expect(isSameAddress('a@b.example', 'aa@b.example')).toBe(false);
});

test('whatever is taken for an address at first sight → also passes every rule', () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab0_+-.@'), maxLength: 24 });
  const domain = fc.string({ unit: fc.constantFrom(...'ab0-.'), maxLength: 40 });
  const text = fc
    .tuple(part, domain, fc.constantFrom('.com', '.c', '.co-m', '.museum', '', '.123'))
    .map(([local, host, end]) => `${local}@${host}${end}`);
  fc.assert(
    fc.property(text, (address) => {
      if (isEmailAddress(address)) expect(parseMailbox(address, 'to')).toEqual({ address });
    }),
    { numRuns: 5000 },
  );
});
