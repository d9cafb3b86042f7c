import {
  invalidPayload,
  isUuid,
  parseChoice,
  parseLine,
  parseMailbox,
  parsePattern,
  readFields,
} from '../kernel/index.js';
import { SUPPRESSION_REASONS, type SuppressionReason } from './suppression.js';

/** A suppression from outside, checked; columns an export adds are taken and not used. */
export function parseSuppression(input: unknown, field: string): ParsedSuppression {
  const given = readFields(input, field, KEYS);
  const at = (name: string) => (field === '' ? name : `${field}.${name}`);
  const reason = parseChoice(given.reason, at('reason'), SUPPRESSION_REASONS) ?? 'manual';
  const category = parsePattern(given.category, at('category'), CATEGORY, 'the name of a preference') ?? '';
  if (category !== '' && reason !== 'unsubscribe')
    throw invalidPayload(at('category'), 'goes with the reason unsubscribe alone');
  const emailId = given.emailId ?? null;
  if (emailId !== null && !isUuid(emailId)) throw invalidPayload(at('emailId'), 'must be the id of an email');
  return {
    email: parseMailbox(given.email, at('email')).address,
    reason,
    category,
    emailId,
    note: parseLine(given.note, at('note'), 500),
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
const KEYS = ['email', 'reason', 'category', 'emailId', 'note', 'companyId', 'createdAt'];
