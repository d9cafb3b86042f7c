import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSecretRing, readSecretKeys } from './secret-ring.js';

const key = () => randomBytes(32).toString('base64');
const [one, two] = [key(), key()];
const ring = createSecretRing(`one:${one}`)!;

test('sealed → opens where it belongs, and is never the same twice', () => {
  const sealed = ring.seal('schlüssel ✓', 'webhook/7');
  expect(sealed).not.toContain('schl');
  expect(ring.open(sealed, 'webhook/7')).toBe('schlüssel ✓');
  expect(ring.seal('schlüssel ✓', 'webhook/7')).not.toBe(sealed);
});

test('moved to another place, or changed by one character → SECRET_UNREADABLE', () => {
  const sealed = ring.seal('secret', 'webhook/7');
  expect(() => ring.open(sealed, 'webhook/8')).toThrowError(
    expect.objectContaining({ code: 'SECRET_UNREADABLE' }),
  );
  for (let at = 0; at < sealed.length - 1; at++) {
    const other = sealed[at] === 'A' ? 'B' : 'A';
    const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
    expect(() => ring.open(changed, 'webhook/7'), `at ${at}`).toThrowError(
      expect.objectContaining({ code: 'SECRET_UNREADABLE' }),
    );
  }
  expect(() => ring.open('', 'webhook/7')).toThrow('not set');
});

test('a new key in front → seals with it, and opens what the old one has sealed until it is gone', () => {
  const sealed = ring.seal('secret', 'x');
  const both = createSecretRing(`two:${two},one:${one}`)!;
  expect(both.open(sealed, 'x')).toBe('secret');
  expect([both.isNewest(sealed), both.isNewest(both.seal('secret', 'x'))]).toEqual([false, true]);
  expect(() => createSecretRing(`two:${two}`)!.open(sealed, 'x')).toThrow('not set');
});

test.each([
  ['no id', one],
  ['a short key', 'one:AAAA'],
  ['one id twice', `one:${one},one:${two}`],
  ['an empty one', `one:${one},`],
])('a setting with %s → none', (_case, setting) => {
  expect(readSecretKeys(setting)).toBeNull();
});
