/** What a body says of a contact, as the recipients' room takes it. Every refusal names its field. */
import { type Fields, invalidPayload, isStorableText, parseLine } from '../../../kernel/index.js';
import type { ContactInput, Topics } from '../../../recipients/index.js';
import { topicNotFound } from '../../../recipients/index.js';
import { fieldsOf } from './read-body.js';

export function contactInput(body: Fields): ContactInput {
  return {
    ...nameOf(body, 'first_name', 'firstName'),
    ...nameOf(body, 'last_name', 'lastName'),
    ...(body.unsubscribed !== undefined && { unsubscribed: flagOf(body.unsubscribed) }),
    ...(body.properties !== undefined && { properties: propertiesOf(body.properties) }),
  };
}

/** `[{ id, subscription }]` as preferences, each topic being the company's own. */
export async function topicPreferences(
  input: unknown,
  topics: Pick<Topics, 'find'>,
  companyId: string,
): Promise<Record<string, boolean>> {
  if (!Array.isArray(input)) throw invalidPayload('topics', 'must be a list');
  if (input.length > MAX_ENTRIES) throw invalidPayload('topics', `has more than ${MAX_ENTRIES} entries`);
  const preferences: Record<string, boolean> = {};
  for (const [index, item] of input.entries()) {
    const { id, subscription } = fieldsOf(item, `topics[${index}]`);
    if (subscription !== 'opt_in' && subscription !== 'opt_out')
      throw invalidPayload(`topics[${index}].subscription`, 'must be opt_in or opt_out');
    const topic = typeof id === 'string' ? await topics.find(companyId, id) : null;
    if (topic === null) throw topicNotFound();
    preferences[topic.category] = subscription === 'opt_in';
  }
  return preferences;
}

/** `[{ id }]`, or ids as they are. */
export function segmentIdsOf(input: unknown): string[] {
  if (input === undefined) return [];
  if (!Array.isArray(input) || input.length > MAX_ENTRIES)
    throw invalidPayload('segments', `must be a list of up to ${MAX_ENTRIES} entries`);
  return input.map((item: unknown, index) => {
    const id = typeof item === 'string' ? item : fieldsOf(item, `segments[${index}]`).id;
    if (typeof id !== 'string') throw invalidPayload(`segments[${index}].id`, 'is missing');
    return id;
  });
}

const MAX_ENTRIES = 100;
const MAX_NAME = 200;

/** An empty name is none. */
function nameOf(body: Fields, field: string, name: 'firstName' | 'lastName'): ContactInput {
  if (body[field] === undefined) return {};
  return { [name]: body[field] === '' ? null : parseLine(body[field], field, MAX_NAME) };
}

function flagOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw invalidPayload('unsubscribed', 'must be true or false');
}

function propertiesOf(value: unknown): Record<string, string | number | null> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidPayload('properties', 'must be an object');
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES)
    throw invalidPayload('properties', `has more than ${MAX_ENTRIES} entries`);
  for (const [key, one] of entries) {
    if (!/^[A-Za-z][A-Za-z0-9_]{0,49}$/.test(key))
      throw invalidPayload(
        'properties',
        'has a key that is not a letter and up to 49 letters, digits or underscores',
      );
    const fits =
      one === null ||
      typeof one === 'number' ||
      (typeof one === 'string' && one.length <= 2000 && isStorableText(one));
    if (!fits) throw invalidPayload(`properties.${key}`, 'must be text of up to 2000 characters or a number');
  }
  return Object.fromEntries(entries) as Record<string, string | number | null>;
}
