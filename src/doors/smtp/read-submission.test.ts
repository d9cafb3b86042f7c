import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readSubmission } from './read-submission.js';

const MESSAGE = [
  'From: app@example.com',
  'To: a@example.net',
  'Subject: Hello',
  'Message-ID: <one@example.com>',
  '',
  'Hello',
  '',
].join('\r\n');

async function keyOf(to: string[], message = MESSAGE): Promise<string | null> {
  const digest = createHash('sha256').update(message).digest('hex');
  return (await readSubmission(Buffer.from(message), { to, digest })).repeatKey;
}

test('the same bytes to the same recipients again → the same email', async () => {
  const first = await keyOf(['a@example.net', 'b@example.net']);
  expect(first).toMatch(/^smtp:[0-9a-f]{64}$/);
  expect(await keyOf(['a@example.net', 'b@example.net'])).toBe(first);
});

test('the same bytes to other recipients → another email each time', async () => {
  const envelopes = [
    ['a@example.net'],
    ['b@example.net'],
    ['a@example.net', 'b@example.net'],
    ['a@example.net', 'b@example.net', 'c@example.net'],
  ];
  const keys = await Promise.all(envelopes.map((to) => keyOf(to)));
  expect(new Set(keys).size).toBe(envelopes.length);
});

test('other bytes to the same recipients → another email', async () => {
  const to = ['a@example.net'];
  const others = [
    MESSAGE.replace('Hello\r\n', 'Hallo\r\n'),
    MESSAGE.replace('one@', 'two@'),
    `${MESSAGE}\r\n`,
  ];
  const keys = await Promise.all([MESSAGE, ...others].map((message) => keyOf(to, message)));
  expect(new Set(keys).size).toBe(4);
});

test('no Message-ID → two of the same words may both be meant', async () => {
  expect(await keyOf(['a@example.net'], MESSAGE.replace(/Message-ID: .*\r\n/, ''))).toBeNull();
});
