import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type BindConfig, sendBind } from './send-bind.js';

const values = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('', 'ü'.repeat(5000), null, undefined),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.integer({ min: 4000, max: 9000 }).map((size) => Buffer.alloc(size, 'x')),
  ),
  { maxLength: 12 },
);

test('any values → the bytes the driver writes', () => {
  fc.assert(
    fc.property(values, fc.constantFrom('', 'portal'), fc.boolean(), (all, portal, binary) => {
      const config = { portal, statement: 'outbox_write', values: all, binary, valueMapper: asIs };
      expect(ours(config).equals(drivers(config))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a long buffer → leaves as it is, not copied', () => {
  const long = Buffer.alloc(100_000, 'x');
  const stream = new PassThrough();
  const written: unknown[] = [];
  stream.write = (chunk: unknown) => written.push(chunk) > 0;
  sendBind(stream, { statement: 's', values: ['a', long, 'b'], valueMapper: asIs });
  expect(written[1]).toBe(long);
  expect(written).toHaveLength(3);
});

test('a value that cannot be sent → nothing is written', () => {
  const stream = new PassThrough();
  const valueMapper = () => {
    throw new Error('circular');
  };
  expect(() => sendBind(stream, { values: ['a', 1], valueMapper })).toThrow('circular');
  expect(stream.readableLength).toBe(0);
});

const asIs = (value: unknown) => value as string | Buffer | null | undefined;

function ours(config: BindConfig): Buffer {
  const stream = new PassThrough({ highWaterMark: 1e6 });
  sendBind(stream, config);
  return stream.read() as Buffer;
}

function drivers(config: BindConfig): Buffer {
  const stream = new PassThrough({ highWaterMark: 1e6 });
  const connection = new pg.Connection({ stream: stream as never }) as unknown as {
    bind(config: BindConfig): void;
  };
  connection.bind(config);
  return stream.read() as Buffer;
}
