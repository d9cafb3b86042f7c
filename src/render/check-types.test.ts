import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkTypes } from './check-types.js';
import { defineEmail } from './define-email.js';

const parcel = (content: {
  subject: string;
  html: string;
  messages?: Record<string, Record<string, string>>;
}) =>
  defineEmail({
    ...{ type: 'parcel', portal: 'org', category: 'orders', content },
    data: z.strictObject({ name: z.string(), note: z.string().optional() }),
    sample: { name: 'Ada', note: 'Fragile' },
  });
const en = { subject: 'On its way', hello: 'Hello {name},' };
const html = '{{> paragraph text=(t "hello" name=name)}}';

it('a type as it should be → nothing to say', () => {
  const de = { subject: 'Unterwegs', hello: 'Hallo {name},' };
  expect(checkTypes([parcel({ subject: '{{t "subject"}}', html, messages: { en, de } })])).toEqual([]);
});

it.each([
  [
    'a text that a language lacks',
    { de: { subject: 'Unterwegs' } },
    html,
    'parcel in de: the text hello is missing',
  ],
  ['a text nobody uses', { en: { ...en, bye: 'Bye' } }, html, 'parcel: the text bye is not used'],
  ['a field that may be absent', {}, `${html}<p>{{note}}</p>`, 'parcel in en: data.note is missing'],
  ['layout by flex', {}, `${html}<div style="display:flex">x</div>`, 'parcel in en: flex does not lay out'],
])('%s → a sentence', (_, messages, body, said) => {
  const found = checkTypes([
    parcel({ subject: '{{t "subject"}}', html: body, messages: { en, ...messages } }),
  ]);
  expect(found).toEqual([expect.stringContaining(said)]);
});
