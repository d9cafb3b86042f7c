import { PostriderError } from '../kernel/index.js';

/** What a message may hold, named in the refusal. All of it is checked before anything is decoded. */
export const MAX_PARTS = 100;
export const MAX_DEPTH = 20;
export const MAX_HEADER_FIELDS = 1000;
export const MAX_HEADER_BYTES = 256 * 1024;
export const MAX_ADDRESSES = 1000;

export function tooLarge(problem: string): PostriderError {
  return new PostriderError('PAYLOAD_TOO_LARGE', `The message ${problem}.`, { field: 'message' });
}

export function unreadable(problem: string, field = 'message'): PostriderError {
  return new PostriderError('INVALID_MESSAGE', `${field === 'message' ? 'The message' : field} ${problem}.`, {
    field,
  });
}
