import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Field } from './declare-field.js';
import { field } from './field-kinds.js';

const KINDS: Record<string, { kind: Field<unknown>; good: unknown[]; bad: unknown[] }> = {
  text: { kind: field.text(), good: ['', 'a\nb'], bad: [7, 'a\0b', '\ud800'] },
  line: { kind: field.line(3), good: ['abc'], bad: ['', 'abcd', 'a\nb', 7] },
  pattern: { kind: field.pattern(/^[a-z]+$/, 'small letters'), good: ['abc'], bad: ['', 'A', 7, ['a']] },
  choice: { kind: field.choice(['on', 'off']), good: ['on'], bad: ['', 'ON', 1] },
  number: { kind: field.number([1, 2]), good: [1, 2], bad: [0, '1', 1.5] },
  whole: { kind: field.whole(1, 5), good: [1, 5], bad: [0, 6, 1.5, '1', Number.NaN, null] },
  list: {
    kind: field.list(field.whole(1, 5), 'numbers', { min: 1, max: 2 }),
    good: [[1], [1, 2]],
    bad: [[], [1, 2, 3], [6], [undefined], 1, {}],
  },
  moment: {
    kind: field.moment(),
    good: ['2030-01-31T09:00:00Z', '2030-01-31T09:00+02:00'],
    bad: ['2030-02-30T09:00:00Z', '2030-01-31', 7, ''],
  },
  dayOrMoment: {
    kind: field.dayOrMoment(),
    good: ['2030-01-31T09:00:00Z', '2030-01-31'],
    bad: ['2030-02-30', '2030-01-31T09:00:00', '2030-01', 7, ''],
  },
  flag: { kind: field.flag(), good: [true, false], bad: ['true', 1, ''] },
  uuid: {
    kind: field.uuid(),
    good: ['01a1def1-9ed6-7000-8fe3-719f10b82e28', '01A1DEF1-9ED6-0000-0FE3-719F10B82E28'],
    bad: ['', 'x', 7],
  },
  mailbox: {
    kind: field.mailbox(),
    good: ['a@example.net', 'A <a@example.net>', { address: 'a@example.net' }, { email: 'a@example.net' }],
    bad: [
      '',
      'a',
      'a@b',
      { address: 'a' },
      { name: 'A' },
      { address: 'a@example.net', email: 'b@example.net' },
    ],
  },
  mailboxes: {
    kind: field.mailboxes(2, { min: 1 }),
    good: ['a@example.net', ['a@example.net', 'b@example.net']],
    bad: [[], ['a@example.net', 'b@example.net', 'c@example.net'], 7, [7]],
  },
  headers: {
    kind: field.headers(),
    good: [{}, { 'X-A': '1' }],
    bad: [[], { 'X-A': 1 }, { Subject: 'x' }, { 'X-A': 'a\nb' }],
  },
  json: {
    kind: field.json({ maxBytes: 1024, maxDepth: 2 }),
    good: [{}, { a: [1] }],
    bad: [[], 7, { a: [[1]] }],
  },
};

describe.each(Object.entries(KINDS))('a field of the kind %s', (_name, { kind, good, bad }) => {
  const isRead = (input: unknown) => {
    try {
      kind.read(input, 'it');
      return true;
    } catch {
      return false;
    }
  };
  test.each(good.map((input) => ({ input })))('$input → read, and so described', ({ input }) => {
    expect([isRead(input), kind.schema.safeParse(input).success]).toEqual([true, true]);
  });
  test.each(bad.map((input) => ({ input })))('$input → refused, and so described', ({ input }) => {
    expect([isRead(input), kind.schema.safeParse(input).success]).toEqual([false, false]);
  });
  test('its schema → says what kind it is', () => {
    expect(JSON.stringify(z.toJSONSchema(kind.schema))).toMatch(/"type":|"enum":|anyOf/);
  });
});
