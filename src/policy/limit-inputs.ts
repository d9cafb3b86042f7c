import { z } from 'zod';
import {
  field,
  fields,
  invalidPayload,
  MAX_RATE_LIMIT,
  MAX_WINDOW_SECONDS,
  needed,
  oneOf,
  orNull,
  PostriderError,
} from '../kernel/index.js';
import { COMPANY, TYPE } from './check-change.js';

/** What is said of limits and quotas: this room reads with these, and the description of the API is made of them. */
const LIMIT_FORM = `must be a whole number from 1 to ${MAX_RATE_LIMIT}, or null for none`;
const WINDOW_FORM = `must be a whole number from 1 to ${MAX_WINDOW_SECONDS}, or null for ever`;

/** Without a limit there is no window to speak of. */
export const RATE_LIMIT_CHANGE = oneOf(
  {
    none: fields({
      limit: needed(
        field.own(
          () => z.null(),
          () => null,
        ),
        LIMIT_FORM,
      ),
      windowSeconds: field.own(
        () => z.unknown(),
        () => null,
      ),
      companyId: orNull(COMPANY),
    }),
    some: fields({
      limit: needed(wholeTo(MAX_RATE_LIMIT, LIMIT_FORM), LIMIT_FORM),
      windowSeconds: needed(orNull(wholeTo(MAX_WINDOW_SECONDS, WINDOW_FORM)), WINDOW_FORM),
      companyId: orNull(COMPANY),
    }),
  },
  ({ limit }) => (limit === null ? 'none' : 'some'),
);

const LIMITED_TYPE = { type: needed(TYPE, 'must be the name of a type'), companyId: COMPANY } as const;

/** Whose count is asked about or begins anew: the user's of types that count users, or an address's. */
export const COUNTED_BY = oneOf(
  {
    user: fields({ userId: needed(field.line(255)), ...LIMITED_TYPE }),
    address: fields({ address: needed(field.mailbox()), ...LIMITED_TYPE }),
  },
  (given) => {
    const byUser = (given.userId ?? null) !== null;
    if (byUser === ((given.address ?? null) !== null))
      throw new PostriderError('INVALID_PAYLOAD', 'Say either userId or address.', {
        field: byUser ? 'address' : 'userId',
      });
    return byUser ? 'user' : 'address';
  },
);

const MAX_QUOTA = 1_000_000_000_000;
const QUOTA_FORM = 'must be a whole number from 0';
export const QUOTA_AMOUNT = fields({
  limit: needed(
    field.own(
      () => z.int().min(0).max(MAX_QUOTA),
      (input, name): number => {
        if (Number.isInteger(input) && Number(input) >= 0 && Number(input) <= MAX_QUOTA) return Number(input);
        throw invalidPayload(name, QUOTA_FORM);
      },
    ),
    QUOTA_FORM,
  ),
});

/** A page of quotas. */
export const QUOTA_PAGE_FIELDS = {
  limit: field.whole(1, 1000),
  cursor: field.pattern(/^[A-Za-z0-9._:-]{1,128}\/(?:day|month)$/, 'a cursor that an earlier page gave'),
} as const;

/** Where a limit or a quota stands. */
export const LIMIT_KEY_FIELDS = {
  type: TYPE,
  companyId: COMPANY,
  period: field.choice(['day', 'month']),
} as const;

function wholeTo(most: number, form: string) {
  return field.own(
    () => z.int().min(1).max(most),
    (input, name): number => {
      if (Number.isInteger(input) && Number(input) >= 1 && Number(input) <= most) return Number(input);
      throw invalidPayload(name, form);
    },
  );
}
