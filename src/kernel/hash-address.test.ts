import { expect, test } from 'vitest';
import { addressHashKey, hashAddress } from './hash-address.js';

const hash = (key: string, tenant: string, address: string) =>
  hashAddress(key, tenant, address).toString('hex');

test('another spelling → the same hash; another tenant, address or key → another', () => {
  const ann = hash('k', 'acme', 'ann@example.com');
  expect(hash('k', 'acme', 'Ann@EXAMPLE.com')).toBe(ann);
  const others = [
    hash('k', 'globex', 'ann@example.com'),
    hash('k', 'acme', 'bob@example.com'),
    hash('l', 'acme', 'ann@example.com'),
  ];
  expect(new Set([ann, ...others]).size).toBe(4);
});

test('no setting → the key that suppressions of earlier versions were hashed with', () => {
  expect(addressHashKey('a key of sixteen')).toBe('a key of sixteen');
  expect(hash(addressHashKey(null), 'acme', 'ann@example.com')).toBe(
    hash('postrider', 'acme', 'ann@example.com'),
  );
});
