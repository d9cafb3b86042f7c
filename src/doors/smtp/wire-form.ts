import { PostriderError } from '../../kernel/index.js';

/**
 * What no honest mail program sends and what two readers would read differently: a CR or LF alone, NUL, a header
 * section too large to be one. Refused, never repaired.
 */
export function checkWireForm(raw: Buffer): void {
  if (raw.includes(0)) throw invalidMessage('holds NUL');
  for (let at = raw.indexOf(LF); at !== -1; at = raw.indexOf(LF, at + 1)) {
    if (raw[at - 1] !== CR) throw invalidMessage('has a line that ends in LF alone');
  }
  for (let at = raw.indexOf(CR); at !== -1; at = raw.indexOf(CR, at + 1)) {
    if (raw[at + 1] !== LF) throw invalidMessage('holds a CR alone');
  }
  const end = raw.indexOf('\r\n\r\n');
  if ((end === -1 ? raw.length : end) > MAX_HEADER_BYTES)
    throw new PostriderError('PAYLOAD_TOO_LARGE', 'The headers are larger than 64 KB.', { field: 'headers' });
}

export function invalidMessage(problem: string, field = 'message'): PostriderError {
  return new PostriderError('INVALID_MESSAGE', `${field === 'message' ? 'The message' : field} ${problem}.`, {
    field,
  });
}

const CR = 0x0d;
const LF = 0x0a;
const MAX_HEADER_BYTES = 64 * 1024;
