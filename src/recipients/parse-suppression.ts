import { z } from 'zod';
import { field, fields, invalidPayload, needed } from '../kernel/index.js';
import { SUPPRESSION_REASONS, type SuppressionInput, type SuppressionReason } from './suppression.js';

/** A suppression from outside, checked; columns an export adds are taken and not used. */
export function parseSuppression(input: unknown, place: string): ParsedSuppression {
  const { email, reason, category, emailId, note } = SUPPRESSION_INPUT.read(input, place);
  return {
    emailId: emailId?.toLowerCase() ?? null,
    email: email.address,
    reason: reason ?? 'manual',
    category: category ?? '',
    note: note ?? null,
  };
}

export interface ParsedSuppression {
  email: string;
  reason: SuppressionReason;
  /** Empty: everything. */
  category: string;
  emailId: string | null;
  note: string | null;
}

const CURSOR = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const CATEGORY = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

const unused = field.own(
  () => z.unknown(),
  () => null,
);
const FIELDS = {
  email: needed(field.mailbox()),
  reason: field.choice(SUPPRESSION_REASONS),
  category: field.pattern(CATEGORY, 'the name of a preference'),
  emailId: field.uuid('the id of an email'),
  note: field.line(500),
  companyId: unused,
  createdAt: unused,
} as const;

const MAX_ADD = 10_000;

/** What stands in it is read entry by entry, where each has a place. */
export const SUPPRESSION_LIST = field.own(
  () => z.array(SUPPRESSION_INPUT.schema).max(MAX_ADD),
  (input, name): SuppressionInput[] => {
    if (!Array.isArray(input)) throw invalidPayload(name, 'must be a list');
    if (input.length > MAX_ADD)
      throw invalidPayload(name, `has more than ${MAX_ADD} entries; send them in parts`);
    return input;
  },
);

/** A page of the list, and which of an address are meant. */
export const SUPPRESSION_PAGE_FIELDS = {
  reason: FIELDS.reason,
  limit: field.whole(1, 1000),
  cursor: field.pattern(CURSOR, 'a cursor that an earlier page gave'),
} as const;
export const SUPPRESSION_KEY_FIELDS = { reason: FIELDS.reason, category: FIELDS.category } as const;

export const SUPPRESSION_INPUT = fields(FIELDS, {
  ...{ nullIsAbsent: true, id: 'SuppressionInput' },
  together({ reason, category }, at) {
    if (category !== undefined && reason !== 'unsubscribe')
      throw invalidPayload(at('category'), 'goes with the reason unsubscribe alone');
  },
});
