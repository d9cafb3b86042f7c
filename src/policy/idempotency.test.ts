import { describe, expect, test } from 'vitest';
import { fingerprint } from './idempotency.js';

const print = (body: unknown) => fingerprint(body)?.toString('hex');

describe('fingerprint', () => {
  test('the same body with its keys in another order → the same; another order of a list → another', () => {
    expect(print({ a: 1, b: { c: [1, { d: 2, e: 3 }] } })).toBe(
      print({ b: { c: [1, { e: 3, d: 2 }] }, a: 1 }),
    );
    expect(print({ a: [1, 2] })).not.toBe(print({ a: [2, 1] }));
  });

  test.each([65_536, 65_537, 200_000])(
    'a text of %d characters that differs at one place → another',
    (length) => {
      const text = 'a'.repeat(length);
      const prints = [0, 1, 65_535, length - 1].map((at) =>
        print({ content: `${text.slice(0, at)}b${text.slice(at + 1)}` }),
      );
      prints.push(
        print({ content: text }),
        print({ content: `${text}a` }),
        print({ content: text.slice(1) }),
      );
      expect(new Set(prints).size).toBe(new Set([0, 1, 65_535, length - 1]).size + 3);
      expect(print({ content: 'a'.repeat(length) })).toBe(print({ content: text }));
    },
  );

  test('a character of two halves where a long text is cut → counts', () => {
    const around = (character: string) => print(`${'a'.repeat(65_535)}${character}${'a'.repeat(70_000)}`);
    expect(around('\u{1f389}')).not.toBe(around('\u{1f38a}'));
  });

  test('what is no JSON → none', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect([fingerprint(circle), fingerprint({ a: 1n })]).toEqual([null, null]);
  });
});
