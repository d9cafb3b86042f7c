/**
 * What may stand in the paths of the API, by the word before it. What cannot be such a thing is answered like one that
 * is not there, by the route or by its room.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { EMAIL_FIELDS } from '../../intake/index.js';
import {
  type Field,
  field,
  invalidPayload,
  isPostriderError,
  type PostriderError,
} from '../../kernel/index.js';
import { LIMIT_KEY_FIELDS } from '../../policy/index.js';
import type { RecipientRef } from '../../recipients/index.js';
import { TEMPLATE_KEY_FIELDS } from '../../render/index.js';
import { inQuery } from './read-query.js';

const uuid = field.uuid();

/** By the id Postrider gave, by `external:` and the application's own, or by address. */
const person: Field<RecipientRef> = field.own(
  () => z.string(),
  (input, name) => {
    const text = String(input);
    if (text.startsWith('external:')) return { externalId: text.slice('external:'.length) };
    if (text.includes('@')) return { email: text };
    if (uuid.read(text, name)) return { recipientId: text };
    throw invalidPayload(name, 'is missing');
  },
  'An id, `external:` and your own id, or an address.',
);

export const PATH_FIELDS = {
  'emails/:id': uuid,
  'dead-letters/:id': uuid,
  'attachments/:index': field.pattern(/^\d{1,3}$/, 'its number, from 0'),
  'recipients/:person': person,
  'suppressions/:email': inQuery.address(),
  'templates/:type': TEMPLATE_KEY_FIELDS.type,
  ':type/:lang': TEMPLATE_KEY_FIELDS.lang,
  'rate-limits/:type': LIMIT_KEY_FIELDS.type,
  'quotas/:companyId': LIMIT_KEY_FIELDS.companyId,
  ':companyId/:period': LIMIT_KEY_FIELDS.period,
  'tenants/:companyId': EMAIL_FIELDS.companyId,
  'keys/:id': uuid,
  'admins/:id': field.line(254, 'An id, or an address.'),
  'schedules/:name': field.pattern(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/, 'the name of a schedule'),
  'broadcasts/:broadcast': uuid,
  'webhooks/:id': uuid,
  'deliveries/:delivery': uuid,
  'u/:token': field.line(2048, 'As it stands in the link.'),
} as const satisfies Record<string, Field<unknown>>;

/** What stands in a path, or `otherwise`. */
export function inPath<Name extends keyof typeof PATH_FIELDS>(
  c: Context,
  name: Name,
  otherwise: () => PostriderError,
): NonNullable<ReturnType<(typeof PATH_FIELDS)[Name]['read']>> {
  const parameter = name.slice(name.indexOf(':', 1) + 1);
  try {
    return PATH_FIELDS[name].read(c.req.param(parameter), parameter) as never;
  } catch (error) {
    throw isPostriderError(error) ? otherwise() : error;
  }
}

/** Every parameter of a path, with the field that reads it. */
export function pathFieldsOf(path: string): Array<[name: string, field: Field<unknown>]> {
  const parts = path.split('/');
  return parts.flatMap((part, index) => {
    if (!part.startsWith(':')) return [];
    const known = (PATH_FIELDS as Record<string, Field<unknown>>)[`${parts[index - 1]}/${part}`];
    if (known === undefined) throw new TypeError(`Say in path-fields.ts what ${part} of ${path} is.`);
    return [[part.slice(1), known]];
  });
}
