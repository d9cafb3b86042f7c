import { expect, test } from 'vitest';
import { MessageProperties } from './message-properties.js';
import { propertiesForMove } from './properties-for-move.js';

const ALL = {
  contentType: 'application/json',
  contentEncoding: 'utf-8',
  headers: { a: 1 },
  correlationId: 'c',
  replyTo: 'r',
  expiration: '1000',
  messageId: 'm',
  timestamp: 1_700_000_000,
  type: 't',
  userId: 'guest',
  appId: 'app',
  clusterId: 'x',
};
const MAX = 131_000;

test('written and read → the same bytes and the same values', () => {
  const bytes = MessageProperties.of(ALL).persistent().write();
  const read = MessageProperties.read(bytes);
  expect(read.write().equals(bytes)).toBe(true);
  expect(read.text('messageId')).toBe('m');
  expect(read.timestamp()).toBe(1_700_000_000);
  expect(read.headers().values()).toEqual({ a: 1 });
  expect(read.text('replyTo')).toBe('r');
});

test('no properties → none, and two bytes', () => {
  const none = MessageProperties.read(Buffer.alloc(2));
  expect([none.text('messageId'), none.timestamp(), none.headers().values()]).toEqual([null, null, {}]);
  expect(none.write()).toEqual(Buffer.alloc(2));
});

test('two ids in Latin-1 → different texts, written again as they came', () => {
  const [one, two] = [0xe4, 0xf6].map((letter) =>
    MessageProperties.read(Buffer.from([0x00, 0x80, 1, letter])),
  );
  expect([one!.text('messageId'), two!.text('messageId')]).toEqual(['ä', 'ö']);
  expect(one!.write()).toEqual(Buffer.from([0x00, 0x80, 1, 0xe4]));
});

test('a property beyond its frame → refused', () => {
  expect(() => MessageProperties.read(Buffer.from([0x00, 0x80, 9, 1]))).toThrow(RangeError);
});

test('moved → all as it was, but for what the broker would act on', () => {
  const headers = { CC: ['q'], BCC: ['q'], 'x-delivery-count': 3, 'x-death': [{ count: 1 }], mine: 'old' };
  const moved = propertiesForMove(MessageProperties.of({ ...ALL, headers }), { mine: 'new' }, MAX);
  expect(moved.text('expiration')).toBeNull();
  expect(moved.text('userId')).toBeNull();
  expect([moved.text('clusterId'), moved.text('contentEncoding')]).toEqual(['x', 'utf-8']);
  expect(moved.headers().values()).toEqual({
    ...{ 'x-original-cc': ['q'], 'x-original-bcc': ['q'], 'x-death': [{ count: 1 }], mine: 'new' },
  });
});

test('moved with more than fits → the largest of the others go first, the history last, ours never', () => {
  const headers = {
    huge: 'h'.repeat(3000),
    large: 'l'.repeat(2000),
    'x-death': 'd'.repeat(2500),
    small: 's',
  };
  const move = (max: number) =>
    propertiesForMove(MessageProperties.of({ ...ALL, headers }), { mine: 'm'.repeat(100) }, max);
  const first = move(7500);
  expect(Object.keys(first.headers().values())).toEqual([
    'large',
    'x-death',
    'small',
    'mine',
    'x-dropped-headers',
  ]);
  expect(first.headers().text('x-dropped-headers')).toBe('huge');
  expect(first.write().length).toBeLessThan(7500);
  expect(Object.keys(move(3000).headers().values())).toEqual(['mine', 'x-dropped-headers']);
});
