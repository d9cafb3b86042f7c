import { PostriderError, parsePattern, readTraceparent } from '../kernel/index.js';
import type { HeaderRecipients } from '../outbox/index.js';
import type { CallerTransaction } from '../store/index.js';

export interface AcceptOptions {
  /** The caller's open transaction; without it the email is committed at once. */
  tx?: CallerTransaction | undefined;
  requestId?: string;
  /** The same key and input within a day give the first answer again; for a batch one key stands for all of it. */
  idempotencyKey?: string;
  /** The trace it belongs to, as W3C Trace Context writes it; else the one that is active. */
  traceparent?: string;
}

export interface BatchOptions extends AcceptOptions {
  /**
   * To and Cc as every email of the batch shows them: that of one message to more people than an email has, or one that
   * names others. `to`, `cc` and `bcc` of each are whom it reaches, and `to` may be left out.
   */
  headerRecipients?: HeaderRecipients;
  /** The emails are one message to several people, as with `headerRecipients`: a limit per user counts them once. */
  oneMessage?: boolean;
}

/** For ways in that translate: what the key stands for is the body as it came. */
export interface TranslatedOptions extends BatchOptions {
  keyedInput?: unknown;
}

/** Any other is refused by name. */
export const SEND_OPTIONS = ['tx', 'requestId', 'idempotencyKey', 'traceparent'];
export const BATCH_OPTIONS = [...SEND_OPTIONS, 'headerRecipients', 'oneMessage'];

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
