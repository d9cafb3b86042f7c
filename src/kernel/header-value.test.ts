import { expect, test } from 'vitest';
import { findHeaderNameProblem, readHeaderValue } from './header-value.js';

test.each<[string, string, object]>([
  ['X-A', 'plain  text ', { form: 'ascii', text: 'plain  text ' }],
  ['X-A', 'Grüße', { form: 'words', text: 'Grüße' }],
  ['Keywords', 'Käse, Öl', { form: 'words', text: 'Käse, Öl' }],
  ['List-Id', 'Größe <a.example>', { form: 'words-and-id', words: 'Größe', id: '<a.example>' }],
  ['list-id', '"Größe" <ö.example>', { form: 'words-and-id', words: 'Größe', id: '<xn--nda.example>' }],
  ['List-Id', 'Size <ö.example>', { form: 'ascii', text: 'Size <xn--nda.example>' }],
  [
    'List-Unsubscribe',
    '<https://ä@bücher.example:8443/ü b?c=ß#ö>, <mailto:a@b.example>',
    {
      form: 'ascii',
      text: '<https://%C3%A4@xn--bcher-kva.example:8443/%C3%BC%20b?c=%C3%9F#%C3%B6>, <mailto:a@b.example>',
    },
  ],
  ['List-Help', '<https://[::1]:80/ü>', { form: 'ascii', text: '<https://[::1]:80/%C3%BC>' }],
  [
    'List-Post',
    '<mailto:ü@bücher.example>',
    { form: 'ascii', text: '<mailto:%C3%BC@xn--bcher-kva.example>' },
  ],
  ['Archived-At', '<urn:ü>', { form: 'ascii', text: '<urn:%C3%BC>' }],
  [
    'Disposition-Notification-To',
    '"Ü, \\"B\\"" <a@ö.example>, c@d.example',
    {
      form: 'mailboxes',
      mailboxes: [{ address: 'a@xn--nda.example', name: 'Ü, "B"' }, { address: 'c@d.example' }],
    },
  ],
])('%s: %s → %j', (name, value, read) => {
  expect(readHeaderValue(name, value)).toEqual(read);
});

test.each<[string, string, string]>([
  ['X-A', 'a'.repeat(901), 'has a word of more than 900 characters, which fits on no line'],
  ['List-Unsubscribe', `<https://example.com/${'ü'.repeat(200)}>`, 'has a word of more than 900'],
  ['References', '<ü@example.com>', 'is read by programs and must be ASCII'],
  ['In-Reply-To', '<a@bücher.example>', 'must be ASCII'],
  ['List-Unsubscribe-Post', 'Ünsubscribe', 'must be ASCII'],
  ['List-Unsubscribe', 'https://bücher.example/', 'must be links in angle brackets'],
  ['List-Unsubscribe', '<bücher.example/u>', 'must be links in angle brackets'],
  ['List-Unsubscribe', '<https://a\u2260b .example/ü>', 'must be links'],
  ['List-Unsubscribe', '<https://example.com/> über', 'must be links'],
  ['List-Id', 'Größe', 'must be a name and an id in angle brackets'],
  ['List-Id', 'Größe <ö ö>', 'must be a name and an id in angle brackets'],
  ['Disposition-Notification-To', 'ü@example.com', 'must be addresses'],
  ['Disposition-Notification-To', 'Ü', 'must be addresses'],
  ['X-A', 'a\nb', 'contains a control character'],
  ['X-A', 'ü\ud800', 'is not valid Unicode'],
])('%s: %s → refused', (name, value, problem) => {
  expect(readHeaderValue(name, value)).toContain(problem);
});

test('words up to 900 characters, one value of 2,000 → taken', () => {
  const value = `${'a'.repeat(900)} ${'b'.repeat(900)}`;
  expect(readHeaderValue('X-A', value)).toEqual({ form: 'ascii', text: value });
  // Encoded words may begin anywhere.
  expect(readHeaderValue('X-A', 'ü'.repeat(2000))).toMatchObject({ form: 'words' });
});

test.each([
  'Resent-From',
  'resent-message-id',
  'Sender',
  'Content-Language',
  'X_A',
  '',
  '1a',
  'X:',
  'ü',
  'X'.repeat(65),
])('the name %j → refused', (name) => {
  expect(findHeaderNameProblem(name)).toEqual(expect.any(String));
});

test.each([['<'.repeat(2000)], [`${'"\\'.repeat(900)}ü`], [`${'<a'.repeat(900)}ü`], [`${'ü,'.repeat(900)}`]])(
  'hostile punctuation → an answer, in no time',
  (value) => {
    for (const name of ['List-Id', 'List-Unsubscribe', 'Disposition-Notification-To'])
      expect(readHeaderValue(name, value)).toBeDefined();
  },
);
