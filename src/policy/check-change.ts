import { didYouMean, PostriderError } from '../kernel/index.js';

/** Checks shared by what sets limits and quotas: a door hands over what it was given. */
export function checkFields(input: unknown, known: readonly string[]): Record<string, unknown> {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new PostriderError('INVALID_PAYLOAD', 'The change must be an object.');
  for (const key of Object.keys(input)) {
    if (known.includes(key)) continue;
    const likely = key.length > 64 ? null : didYouMean(key, known);
    const hint = likely === null ? '' : `; did you mean ${likely}`;
    throw new PostriderError('INVALID_PAYLOAD', `A field is not known${hint}.`, {
      field: key.slice(0, 64),
    });
  }
  return input as Record<string, unknown>;
}

export function checkType(input: unknown): string {
  if (typeof input === 'string' && TYPE.test(input)) return input;
  throw new PostriderError('INVALID_PAYLOAD', 'type must be the name of a type.', { field: 'type' });
}

export function checkCompany(input: unknown): string | undefined {
  if (input === undefined) return undefined;
  if (typeof input === 'string' && COMPANY_ID.test(input)) return input;
  throw new PostriderError(
    'INVALID_PAYLOAD',
    'companyId must be 1 to 128 letters, digits, dots, colons, hyphens or underscores.',
    { field: 'companyId' },
  );
}

const TYPE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const COMPANY_ID = /^[A-Za-z0-9._:-]{1,128}$/;
