import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkTemplates } from './check-templates.js';
import { defineEmail } from './define-email.js';

const person = z.strictObject({ name: z.string(), city: z.string().nullable() });
const declare = (html: string, messages?: Record<string, Record<string, string>>) =>
  defineEmail({
    ...{ type: 'parcel', portal: 'org', category: 'orders' },
    data: z.strictObject({
      name: z.string(),
      late: z.boolean().optional(),
      person: person.optional(),
      items: z.array(person).default([]),
      tags: z.array(z.string()),
      bag: z.record(z.string(), z.string()),
    }),
    sample: { name: 'Ada', tags: ['a'], bag: { color: 'red' } },
    content: { subject: 'Hello', html, ...(messages && { messages }) },
  });

// Behind a condition the sample does not meet, so that only the schema can tell.
const inside = (body: string) => `<p>{{name}}</p>{{#if late}}${body}{{/if}}`;

it.each([
  ['an unknown piece', '{{> paragrph text="x"}}', 'there is no piece "paragrph"'],
  ['an unknown field', '<p>{{nmae}}</p>', '"nmae" is not a field of this type'],
  ['an unknown helper', '<p>{{money name}}</p>', 'line 1'],
  ['an unknown text', '<p>{{t "nothing.here"}}</p>', 'there is no text "nothing.here"'],
  ['an unknown field of the brand', '<p>{{brand.nmae}}</p>', 'there is no brand.nmae'],
  ['a field inside a field', inside('{{person.nmae}}'), '"nmae" is not a field of data.person'],
  ['a field inside a text', inside('{{name.first}}'), '"data.name" is a string and has no first'],
  [
    'a field of an item',
    inside('{{#each items as one}}{{one.nmae}}{{/each}}'),
    '"nmae" is not a field of one',
  ],
  [
    'a field of an item given to a piece',
    inside('{{#each items as one}}{{> paragraph text=one.nmae}}{{/each}}'),
    '"nmae" is not a field of one',
  ],
  [
    'a field of an item that is a text',
    inside('{{#each tags}}{{this.name}}{{/each}}'),
    'is a string and has no name',
  ],
  ['what the sample shows to be missing', '<p>{{bag.size}}</p>', 'data.bag.size is missing'],
])('%s → INVALID_CONFIG from defineEmail, with the field', (_case, html, said) => {
  expect(() => declare(html)).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(said),
    }),
  );
});

it('an argument that one language needs and is not given → INVALID_CONFIG, which names the language', () => {
  const html = '<p>{{t "hello" name=name}}</p>';
  const messages = { en: { hello: 'Hello {name}' }, de: { hello: 'Hallo {nmae}' } };
  expect(() => declare(html, messages)).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONFIG',
      field: 'content.html',
      message: expect.stringMatching(/parcel cannot be shown in de: .*the text needs nmae/),
    }),
  );
});

it('what the schema does not know, and fields that are there → taken', () => {
  const html = `<p>{{bag.color}}</p>${inside('{{person.name}} {{person.city}}{{#each items as one}}{{one.name}}{{/each}}')}`;
  expect(declare(html).type).toBe('parcel');
});

it('a type without content and without a file → refused where the type is used', () => {
  const type = defineEmail({
    ...{ type: 'nowhere', portal: 'org', category: 'orders' },
    data: z.strictObject({}),
    sample: {},
  });
  expect(() => checkTemplates(type)).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('is missing') }),
  );
});
