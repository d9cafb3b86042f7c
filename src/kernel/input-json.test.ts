import { expect, test } from 'vitest';
import { parseJsonObject } from './input-json.js';

const LIMITS = { maxBytes: 8 * 1024, maxDepth: 5 };
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });

test.each<[string, { metadata: unknown }, string]>([
  ['metadata a list', { metadata: [] }, 'metadata'],
  ['metadata with a date', { metadata: { at: new Date(0) } }, 'metadata.at'],
  ['metadata with NaN', { metadata: { n: [Number.NaN] } }, 'metadata.n[0]'],
  ['metadata with a function', { metadata: { f: () => 1 } }, 'metadata.f'],
  ['metadata with a bigint', { metadata: { n: 1n } }, 'metadata.n'],
  ['metadata with NUL', { metadata: { a: ['\u0000'] } }, 'metadata.a[0]'],
  ['metadata with a lone surrogate', { metadata: { a: [{ b: '\udc00' }] } }, 'metadata.a[0].b'],
  ['metadata with NUL in a key', { metadata: { 'a\u0000': 1 } }, 'metadata'],
  [
    'metadata with a prototype key',
    { metadata: JSON.parse('{"a":{"__proto__":1}}') },
    'metadata.a.__proto__',
  ],
  ['metadata with a constructor', { metadata: { constructor: 1 } }, 'metadata.constructor'],
  ['metadata 6 levels deep', { metadata: deep(6) }, 'metadata.a.a.a.a.a'],
  ['metadata over 8 KB', { metadata: { a: 'x'.repeat(8192) } }, 'metadata'],
  ['metadata over 8 KB in small pieces', { metadata: { a: Array(5000).fill(1) } }, 'metadata'],
  ['metadata over 8 KB of keys', { metadata: { ['k'.repeat(9000)]: 1 } }, 'metadata'],
])('%s → refused with its field', (_, { metadata }, field) => {
  expect(() => parseJsonObject(metadata, 'metadata', LIMITS)).toThrow(
    expect.objectContaining({ code: 'INVALID_PAYLOAD', field }),
  );
});

test('a circle in metadata → refused, not followed', () => {
  const metadata: Record<string, unknown> = {};
  metadata.self = metadata;
  expect(() => parseJsonObject(metadata, 'metadata', LIMITS)).toThrow(/nested more than 5/);
});

test('metadata changed by the caller afterwards → the copy stays as it was', () => {
  const metadata = { list: [{ a: 1 }] };
  const copy = parseJsonObject(metadata, 'metadata', LIMITS);
  metadata.list[0]!.a = 2;
  expect(copy).toEqual({ list: [{ a: 1 }] });
});

test('exactly at the limits → accepted', () => {
  expect(parseJsonObject(deep(5), 'metadata', LIMITS)).toEqual(deep(5));
  const full = { a: 'x'.repeat(8192 - '{"a":""}'.length) };
  expect(parseJsonObject(full, 'metadata', LIMITS)).toEqual(full);
});

test('an object without a prototype → accepted like any other', () => {
  expect(parseJsonObject(Object.assign(Object.create(null), { a: 1 }), 'metadata', LIMITS)).toEqual({ a: 1 });
});
