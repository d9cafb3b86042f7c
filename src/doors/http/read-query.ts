/**
 * The query of a request, read with what the description of the API shows of it. A name given twice is refused, since
 * nobody can say which of the two was meant. Everything in a query is text: numbers and flags are told from it here,
 * and their limits are those of the room.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { type Field, field, invalidPayload, pathTo } from '../../kernel/index.js';

export function readQuery<T>(c: Context, query: Field<T>): T {
  // Without a prototype, as __proto__ is a name nobody knows too.
  const given: Record<string, string> = Object.create(null);
  for (const [name, value] of new URL(c.req.url).searchParams) {
    // Heard by the region gate, which has checked it.
    if (name === 'region' && c.get('region') !== undefined) continue;
    if (name in given) throw invalidPayload(pathTo('', name), 'is given more than once');
    given[name] = value;
  }
  return query.read(given, '');
}

const DIGITS = /^\d{1,9}(?:\.\d{1,6})?$/;

export const inQuery = {
  /** Digits, within the limits of the field they are for. */
  number: <T>(of: Field<T>): Field<T> =>
    field.own(
      () => z.unknown().meta(shownAs(of.schema)),
      (input, name) =>
        of.read(typeof input === 'string' && DIGITS.test(input) ? Number(input) : Number.NaN, name),
    ),
  flag: (says: string): Field<boolean> =>
    field.own(
      () => z.unknown().meta({ type: 'boolean' }),
      (input, name) => {
        if (input === 'true' || input === 'false') return input === 'true';
        throw invalidPayload(name, 'must be true or false');
      },
      says,
    ),
  /** An address as one text. */
  address: (): Field<string> =>
    field.own(
      () => z.string(),
      (input, name) => field.mailbox().read(input, name) && String(input),
      'name@domain',
    ),
} as const;

function shownAs(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _said, ...shown } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return shown;
}
