import { didYouMean } from './config/did-you-mean.js';
import type { ErrorCode } from './error-table.js';
import { PostriderError } from './errors.js';

/** An option that is misspelt would otherwise be an option that does nothing. */
export function refuseUnknownKeys(given: object, known: readonly string[], code: ErrorCode): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  const guess = didYouMean(unknown, known);
  throw new PostriderError(code, `There is no option ${unknown}${guess ? `; did you mean ${guess}?` : '.'}`, {
    field: unknown,
  });
}
