import type { ErrorCategory, FailureScope } from '../provider.js';
import type { SmtpStage } from './smtp-stage.js';

/**
 * What a refusing reply means. The listed codes are the sources'; the other 4yz are transient and
 * the other 5yz permanent. A permanent no before the first MAIL is about the route or its account,
 * never about the email at hand, so it must not cost that email anything.
 */
export function classifySmtpReply(code: number, stage: SmtpStage): SmtpVerdict {
  // 421 is the server's goodbye, at whatever command it comes.
  const scope = code === 421 ? 'route' : scopeOf(stage);
  const name = `SMTP_${code}`;
  const nature = LISTED[code] ?? natureOf(code);
  if (nature === 'unclassified') {
    return { kind: 'deferred', scope, code: name, category: 'UNKNOWN_ERROR', unclassified: true };
  }
  if (nature === 'transient') return { kind: 'deferred', scope, code: name, category: 'TRANSIENT_ERROR' };
  if (stage === 'auth' || (stage === 'mail' && ACCOUNT_CODES.has(code))) {
    return { kind: 'misconfigured', scope: 'account', code: name, category: 'CONFIGURATION_ERROR' };
  }
  if (scope === 'route') return { kind: 'misconfigured', scope, code: name, category: 'CONFIGURATION_ERROR' };
  return { kind: 'rejected', scope, code: name, category: 'PERMANENT_ERROR' };
}

export interface SmtpVerdict {
  kind: 'deferred' | 'rejected' | 'misconfigured';
  scope: FailureScope;
  code: string;
  category: ErrorCategory;
  unclassified?: boolean;
}

type Nature = 'transient' | 'permanent' | 'unclassified';

const LISTED: Record<number, Nature> = {
  421: 'transient',
  450: 'transient',
  451: 'transient',
  452: 'transient',
  550: 'permanent',
  552: 'permanent',
  553: 'permanent',
  554: 'permanent',
};

/** Authentication required, refused, or refused without encryption: also given in answer to MAIL. */
const ACCOUNT_CODES = new Set([530, 535, 538]);

function natureOf(code: number): Nature {
  if (code >= 400 && code < 500) return 'transient';
  if (code >= 500 && code < 600) return 'permanent';
  return 'unclassified';
}

function scopeOf(stage: SmtpStage): FailureScope {
  switch (stage) {
    case 'connect':
    case 'greeting':
    case 'ehlo':
    case 'starttls':
      return 'route';
    case 'auth':
      return 'account';
    case 'rcpt':
      return 'recipient';
    case 'mail':
    case 'data':
    case 'body':
    case 'dot':
    case 'reply':
      return 'message';
  }
}
