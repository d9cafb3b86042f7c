import { expect, test } from 'vitest';
import { parsePast, parseRecipient, parseRef } from './parse-recipient.js';

const NOW = Date.UTC(2026, 4, 14);

test('only what is given → is there, so that the rest of the row stays', () => {
  expect(parseRecipient({ email: 'ada@example.com', name: undefined, language: null }, '')).toEqual({
    email: 'ada@example.com',
    language: null,
  });
});

test.each<[string, Record<string, unknown>, string]>([
  ['no email', { email: undefined }, '[3].email'],
  ['an email with a line break', { email: 'a@example.com\nb' }, '[3].email'],
  ['an unknown key', { timezone: 'UTC' }, '[3].timezone'],
  ['a zone that is an offset', { timeZone: '+02:00' }, '[3].timeZone'],
  ['a zone that is nowhere', { timeZone: 'Europe/Atlantis' }, '[3].timeZone'],
  ['a POSIX zone, which PostgreSQL alone would take', { timeZone: 'FOO5' }, '[3].timeZone'],
  ['a status with a space', { status: 'on hold' }, '[3].status'],
  ['a status cleared', { status: null }, '[3].status'],
  ['a preference that is text', { preferences: { reminders: 'yes' } }, '[3].preferences.reminders'],
  ['a preference with a strange name', { preferences: { 'a b': true } }, '[3].preferences'],
  ['attributes with NUL', { attributes: { a: 'x\0' } }, '[3].attributes.a'],
  ['a prototype key', { attributes: JSON.parse('{"__proto__":{"a":1}}') }, '[3].attributes.__proto__'],
  ['a frequency nobody knows', { reminderFrequency: 'hourly' }, '[3].reminderFrequency'],
  ['a time without an offset', { lastActiveAt: '2026-01-01T00:00:00' }, '[3].lastActiveAt'],
  ['an external id of 200 characters', { externalId: 'x'.repeat(200) }, '[3].externalId'],
])('%s → refused with its field', (_, parts, field) => {
  expect(() => parseRecipient({ email: 'ada@example.com', ...parts }, '[3]')).toThrow(
    expect.objectContaining({ field }),
  );
});

test('a person named twice, or not at all → refused', () => {
  for (const ref of [{}, { externalId: 'a', email: 'a@example.com' }, { recipientId: 'no-uuid' }])
    expect(() => parseRef(ref)).toThrow(expect.objectContaining({ code: 'INVALID_PAYLOAD' }));
});

test('what is said to happen tomorrow → refused; a clock a few minutes ahead passes', () => {
  expect(() => parsePast(new Date(NOW + 86_400_000), 'at', NOW)).toThrow('lies in the future');
  expect(parsePast(new Date(NOW + 60_000), 'at', NOW)).toEqual(new Date(NOW + 60_000));
});
