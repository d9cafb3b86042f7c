import { expect, test } from 'vitest';
import { createUnsubscribeLinks } from './unsubscribe-links.js';

const OLD = 'an old key of the links';
const NEW = 'a new key of the links';
const EMAIL = {
  id: '0192f0c1-7b2e-7000-8000-000000000001',
  tenant: 'acme',
  address: 'Ada@Example.com',
  category: 'weeklyFocus',
};
const links = (...keys: string[]) =>
  createUnsubscribeLinks({ publicUrl: 'https://mail.example.com/', keys, hashKey: 'the key of the hashes' });
const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);

test('a link → says what it was made of, without the address', () => {
  const url = links(NEW).url(EMAIL);
  expect(url).toMatch(/^https:\/\/mail\.example\.com\/u\/[A-Za-z0-9_-]+$/);
  expect(Buffer.from(tokenOf(url), 'base64url').toString('latin1')).not.toMatch(/ada|example/i);
  expect(links(NEW).read(tokenOf(url))).toMatchObject({
    tenant: 'acme',
    category: 'weeklyFocus',
    emailId: EMAIL.id,
  });
});

test('the language of the email → rides along for the page', () => {
  expect(links(NEW).url({ ...EMAIL, lang: 'de' })).toBe(`${links(NEW).url(EMAIL)}?lang=de`);
});

test('keys changed → old links work while the old key is accepted, and not after', () => {
  const token = tokenOf(links(OLD).url(EMAIL));
  expect(links(NEW, OLD).read(token)).not.toBeNull();
  expect(tokenOf(links(NEW, OLD).url(EMAIL))).toBe(tokenOf(links(NEW).url(EMAIL)));
  expect(links(NEW).read(token)).toBeNull();
});

test('any bit changed, anything cut off or added → no link', () => {
  const token = tokenOf(links(NEW).url(EMAIL));
  const bytes = Buffer.from(token, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(links(NEW).read(changed.toString('base64url'))).toBeNull();
  }
  for (const other of [
    '',
    'x',
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    token.replace(/^./, '%'),
    'A'.repeat(9999),
  ])
    expect(links(NEW).read(other)).toBeNull();
});

test('the name of one tenant and the kind of another run together → two different links', () => {
  const one = links(NEW).url({ ...EMAIL, tenant: 'ab', category: 'c' });
  const other = links(NEW).url({ ...EMAIL, tenant: 'a', category: 'bc' });
  expect(links(NEW).read(tokenOf(one))).toMatchObject({ tenant: 'ab', category: 'c' });
  expect(links(NEW).read(tokenOf(other))).toMatchObject({ tenant: 'a', category: 'bc' });
});
