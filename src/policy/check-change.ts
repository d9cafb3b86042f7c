import { didYouMean, field, PostriderError } from '../kernel/index.js';

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

export const TYPE = field.pattern(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'the name of a type');
export const COMPANY = field.pattern(
  /^[A-Za-z0-9._:-]{1,128}$/,
  '1 to 128 letters, digits, dots, colons, hyphens or underscores',
);

export function checkType(input: unknown): string {
  return TYPE.read(input ?? null, 'type')!;
}

export function checkCompany(input: unknown): string | undefined {
  return COMPANY.read(input, 'companyId') ?? undefined;
}
