import { PostriderError } from '../../kernel/index.js';

/**
 * The two ways a template fails: it is written wrongly, which its author learns with file, line and reason when it is
 * compiled; or the data does not fit, which the sender learns with the name of the field.
 */
export function templateProblem(name: string, line: number, reason: string): PostriderError {
  return new PostriderError('INVALID_TEMPLATE', `${name} line ${line}: ${reason}`, { field: name });
}

export function dataProblem(field: string, reason: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${reason}`, { field });
}
