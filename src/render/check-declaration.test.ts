import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineEmail } from './define-email.js';
import { createEmailRegistry } from './email-registry.js';

const good = {
  type: 'parcel_sent',
  portal: 'org',
  category: 'orders',
  data: z.strictObject({ name: z.string(), parcels: z.array(z.strictObject({ id: z.int() })) }),
  sample: { name: 'Ada', parcels: [{ id: 1 }] },
  content: { subject: 'On its way', html: '<p>{{name}}</p>' },
} as const;
// Whatever JavaScript lets through where the compiler would not.
const declare = defineEmail as (declaration: unknown) => ReturnType<typeof defineEmail>;

it.each([
  ['no type', { type: undefined }, 'type', 'must be a letter'],
  ['a name with a space', { type: 'parcel sent' }, 'type', 'must be a letter'],
  ['an unknown portal', { portal: 'shop' }, 'portal', 'must be one of admin'],
  ['no category', { category: undefined }, 'category', 'must be a word'],
  ['an empty category', { category: '' }, 'category', 'must be a word'],
  ['data that is no schema', { data: { name: 'string' } }, 'data', 'must be a Zod schema'],
  ['no data', { data: undefined }, 'data', 'must be a Zod schema'],
  ['no sample', { sample: undefined }, 'sample', 'is needed'],
  ['a sample that lacks a field', { sample: { parcels: [] } }, 'sample.name', 'does not fit data'],
  [
    'a sample wrong inside',
    { sample: { name: 'A', parcels: [{ id: 'x' }] } },
    'sample.parcels[0].id',
    'does not fit',
  ],
  [
    'a further sample that is wrong',
    { moreSamples: { none: { name: 1 } } },
    'moreSamples.none.name',
    'does not fit',
  ],
  [
    'a schema that must wait',
    { data: z.string().refine(async () => true), sample: 'x' },
    'data',
    'without waiting',
  ],
  ['a priority of 5', { priority: 5 }, 'priority', 'must be 1, 2, 3 or 4'],
  ['a limit of nothing', { rateLimit: { limit: 0, windowSeconds: 1 } }, 'rateLimit', 'must be { limit'],
  ['an unknown retry', { retry: 'often' }, 'retry', 'must be one of gateway'],
  ['an unknown delivery', { delivery: 'once' }, 'delivery', 'must be at-least-once or'],
  ['an expiry that is none', { expiresIn: 'soon' }, 'expiresIn', 'such as 15m'],
  ['content without HTML', { content: { subject: 'x' } }, 'content.html', 'must be a string'],
  [
    'texts that are none',
    { content: { ...good.content, messages: { en: { a: 1 } } } },
    'content.messages.en',
    'texts',
  ],
  ['attachments that are no function', { attachments: [] }, 'attachments', 'must be a function'],
  [
    'fields of the subject that are no list',
    { sensitive: true, subjectFields: 'name' },
    'subjectFields',
    'must be a list',
  ],
  [
    'a field of the subject that is none',
    { sensitive: true, subjectFields: ['nmae'] },
    'subjectFields',
    'names nmae, which is no field',
  ],
  [
    'fields of the subject of a type that is not sensitive',
    { subjectFields: ['name'] },
    'subjectFields',
    'is for types that are sensitive',
  ],
  ['a misspelt field', { expireIn: '1h' }, 'expireIn', 'did you mean expiresIn'],
])('%s → refused by the name of the field', (_, part, field, said) => {
  expect(() => declare({ ...good, ...part })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', field, message: expect.stringContaining(said) }),
  );
});

it('what holds together → a type; what was not declared → refused by its place in the list', () => {
  const type = declare({ ...good, expiresIn: '15m' });
  expect(type).toMatchObject({
    type: 'parcel_sent',
    expiresInMs: 900_000,
    sensitive: false,
    rateLimit: null,
  });
  expect(createEmailRegistry([], [type]).find('parcel_sent')).toBe(type);
  expect(() => createEmailRegistry([], [type, good as never])).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', field: 'types[1]' }),
  );
});
