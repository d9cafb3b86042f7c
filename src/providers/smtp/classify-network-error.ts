import type { ErrorCategory } from '../provider.js';

/**
 * What a lost connection means, by the system's code. The sources' network errors and their kin are
 * transient; a certificate that does not hold is a wrong setting; anything else is unclassified and
 * left to the retry preset.
 */
export function classifyNetworkError(code: string): NetworkVerdict {
  if (TIMEOUTS.has(code)) return { kind: 'deferred', category: 'TIMEOUT_ERROR' };
  if (TRANSIENT.has(code)) return { kind: 'deferred', category: 'TRANSIENT_ERROR' };
  if (CERTIFICATE.test(code)) return { kind: 'misconfigured', category: 'CONFIGURATION_ERROR' };
  return { kind: 'deferred', category: 'UNKNOWN_ERROR', unclassified: true };
}

export interface NetworkVerdict {
  kind: 'deferred' | 'misconfigured';
  category: ErrorCategory;
  unclassified?: boolean;
}

/** The server closed the connection without an error. */
export const SOCKET_CLOSED = 'SOCKET_CLOSED';

const TIMEOUTS = new Set(['ETIMEDOUT', 'ESOCKETTIMEDOUT']);

const TRANSIENT = new Set([
  SOCKET_CLOSED,
  'ECONNREFUSED',
  'ESOCKETNOTFOUND',
  'ESOCKET',
  'ECONNECTION',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EMFILE',
  'ENFILE',
  'ENOBUFS',
  'ERR_STREAM_DESTROYED',
]);

const CERTIFICATE =
  /^(?:CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|INVALID_CA|HOSTNAME_MISMATCH|ERR_TLS_CERT_ALTNAME)/;
