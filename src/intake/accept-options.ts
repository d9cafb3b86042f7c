import { PostriderError, parsePattern, readTraceparent } from '../kernel/index.js';

/** The ids a caller may give an acceptance: only what the store can hold and a log line can show. */
export function checkAcceptOptions({ requestId, idempotencyKey, traceparent }: Ids): void {
  parsePattern(
    requestId,
    'requestId',
    REQUEST_ID,
    '1 to 128 letters, digits, dots, underscores, colons or hyphens',
  );
  parsePattern(idempotencyKey, 'idempotencyKey', IDEMPOTENCY_KEY, '1 to 255 printable ASCII characters');
  if (traceparent === undefined) return;
  if (typeof traceparent !== 'string' || readTraceparent(traceparent) === undefined)
    throw new PostriderError('INVALID_PAYLOAD', 'traceparent is not one of W3C Trace Context.', {
      field: 'traceparent',
    });
}

interface Ids {
  requestId?: unknown;
  idempotencyKey?: unknown;
  traceparent?: unknown;
}

const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
