import { z } from 'zod';
import { field, fieldsSchema, invalidPayload, readFields } from '../kernel/index.js';
import { SUPPRESSION_REASONS, type SuppressionReason } from './suppression.js';

/** A suppression from outside, checked; columns an export adds are taken and not used. */
export function parseSuppression(input: unknown, place: string): ParsedSuppression {
  const given = readFields(input, place, KEYS);
  const at = (name: string) => (place === '' ? name : `${place}.${name}`);
  const reason = FIELDS.reason.read(given.reason, at('reason')) ?? 'manual';
  const category = FIELDS.category.read(given.category, at('category')) ?? '';
  if (category !== '' && reason !== 'unsubscribe')
    throw invalidPayload(at('category'), 'goes with the reason unsubscribe alone');
  return {
    emailId: FIELDS.emailId.read(given.emailId, at('emailId')),
    email: FIELDS.email.read(given.email, at('email')).address,
    reason,
    category,
    note: FIELDS.note.read(given.note, at('note')),
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

export const CATEGORY = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

const unused = { schema: z.unknown() };
const FIELDS = {
  email: field.mailbox(),
  reason: field.choice(SUPPRESSION_REASONS),
  category: field.pattern(CATEGORY, 'the name of a preference'),
  emailId: field.uuid('the id of an email'),
  note: field.line(500),
  companyId: unused,
  createdAt: unused,
} as const;
const KEYS = Object.keys(FIELDS);

/** For whoever describes the API. */
export const SUPPRESSION_INPUT = fieldsSchema(FIELDS, { required: ['email'], id: 'SuppressionInput' });
