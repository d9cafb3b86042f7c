import { isPostriderError, type PostriderError } from '../../kernel/index.js';

/**
 * A refusal as the reply an SMTP client understands: 4yz where the same may succeed later, 5yz where it will not,
 * always with the reason. What is no refusal of ours is a 451 that says nothing of it.
 */
export function smtpReply(error: unknown): SmtpRefusal {
  if (error instanceof SmtpRefusal) return error;
  if (!isPostriderError(error)) return refusal(451, '4.3.0 The message could not be accepted; try again');
  const [code, status] = codeOf(error);
  return refusal(code, `${status} ${error.code}: ${error.message}`);
}

export function refusal(responseCode: number, text: string): SmtpRefusal {
  // A reply line is ASCII and short; what the client sent may be neither.
  const line = text.replace(/[^\x20-\x7e]/g, '?').slice(0, 400);
  return new SmtpRefusal(line, responseCode);
}

/** What the server answers with instead of going on. */
export class SmtpRefusal extends Error {
  constructor(
    line: string,
    readonly responseCode: number,
  ) {
    super(line);
  }
}

function codeOf(error: PostriderError): [number, string] {
  if (error.retryable || error.status >= 500) return error.status === 429 ? [450, '4.7.1'] : [451, '4.3.0'];
  switch (error.code) {
    case 'PAYLOAD_TOO_LARGE':
      return [552, '5.3.4'];
    case 'INVALID_EMAIL':
      return [553, '5.1.3'];
    case 'UNAUTHORIZED':
      return [535, '5.7.8'];
    default:
      return error.status === 403 || error.status === 429 ? [550, '5.7.1'] : [554, '5.6.0'];
  }
}
