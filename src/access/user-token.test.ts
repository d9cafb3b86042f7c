import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { readUserToken, signUserToken } from './user-token.js';

const KEY = 'k'.repeat(32);
const clock = new ManualClock();
const user = { userId: 'u-1', companyId: 'acme' };
const now = () => Math.floor(clock.now() / 1000);

/** A token as another library, or an attacker, would write it. */
function token(claims: object, { key = KEY, header = { alg: 'HS256', typ: 'JWT' } as object } = {}): string {
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}
const claims = () => ({ sub: 'u-1', companyId: 'acme', aud: 'postrider', exp: now() + 60 });

test('signed → read by any of the keys until it is over', () => {
  const signed = signUserToken({ ...user, expiresInSeconds: 60 }, KEY, clock);
  expect(readUserToken(signed, ['x'.repeat(32), KEY], clock)).toEqual(user);
  expect(readUserToken(signed, ['x'.repeat(32)], clock)).toBeNull();
  expect(readUserToken(signed, [], clock)).toBeNull();
  clock.advance(60_000);
  expect(readUserToken(signed, [KEY], clock)).toBeNull();
});

test("written by another language's library → read", () => {
  expect(readUserToken(token(claims()), [KEY], clock)).toEqual(user);
});

test('a beginning → nobody before it, the user from then on, also where clocks are a few seconds apart', () => {
  const later = token({ ...claims(), exp: now() + 7200, nbf: now() + 3600 });
  expect(readUserToken(later, [KEY], clock)).toBeNull();
  clock.advance(3_595_000);
  expect(readUserToken(later, [KEY], clock)).toEqual(user);
  expect(readUserToken(token({ ...claims(), nbf: now() - 1 }), [KEY], clock)).toEqual(user);
});

test.each<[string, () => string]>([
  ['no expiry', () => token({ ...claims(), exp: undefined })],
  ['an expiry as text', () => token({ ...claims(), exp: '9999999999' })],
  ['an expiry years ahead', () => token({ ...claims(), exp: now() + 10 * 365 * 86_400 })],
  ['a beginning that is still to come', () => token({ ...claims(), nbf: now() + 10 })],
  ['a beginning as text', () => token({ ...claims(), nbf: '0' })],
  ['a beginning that is null', () => token({ ...claims(), nbf: null })],
  ['another audience', () => token({ ...claims(), aud: 'shop' })],
  ['no company', () => token({ ...claims(), companyId: undefined })],
  ['a user that is no text', () => token({ ...claims(), sub: { $ne: 1 } })],
  ['a control character', () => token({ ...claims(), sub: 'u\n1' })],
  ['no signature asked for', () => token(claims(), { header: { alg: 'none' } })],
  ['an empty signature', () => token(claims()).replace(/[^.]*$/, '')],
  ['another key', () => token(claims(), { key: 'y'.repeat(32) })],
  [
    'another body under the signature',
    () => {
      const [head, , signature] = token(claims()).split('.');
      return [
        head,
        Buffer.from(JSON.stringify({ ...claims(), sub: 'u-2' })).toString('base64url'),
        signature,
      ].join('.');
    },
  ],
  ['three thousand characters', () => token({ ...claims(), more: 'x'.repeat(3000) })],
  ['nothing', () => ''],
])('%s → nobody', (_case, make) => {
  expect(readUserToken(make(), [KEY], clock)).toBeNull();
});

test.each([
  ['a short key', () => signUserToken(user, 'short', clock)],
  ['no user', () => signUserToken({ ...user, userId: '' }, KEY, clock)],
  ['two days', () => signUserToken({ ...user, expiresInSeconds: 172_800 }, KEY, clock)],
])('signing with %s → refused', (_case, sign) => {
  expect(sign).toThrow();
});
