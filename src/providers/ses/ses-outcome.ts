import type { HttpAttempt } from '../http-attempt.js';
import { parseRetryAfter } from '../parse-retry-after.js';
import type { Outcome, Trace } from '../provider.js';
import { oneLine } from '../smtp/conversation.js';
import { classifySesError, QUOTA_WAIT_MS, type SesVerdict } from './classify-ses-error.js';

/**
 * The outcome of what the SDK threw. An error with a name SES knows is an answer; one with only a
 * status is a gateway's, which may have passed the request on; one with neither is a lost connection.
 */
export function outcomeOfSesError(
  error: unknown,
  { http, nowMs, from }: { http: HttpAttempt; nowMs: number; from: string },
): Outcome {
  const { name = 'Error', message = String(error), $metadata, $response } = error as SdkError;
  const status = $response?.statusCode ?? $metadata?.httpStatusCode;
  const ownFault = BEFORE_THE_WIRE.find(({ pattern }) => pattern.test(`${name}: ${message}`))?.name;
  if (status === undefined && !ownFault) return http.outcomeOfLoss(error);
  const verdict = classifySesError({ name: ownFault ?? name, message, from });
  const said = oneLine(message || name, 500);
  if (status !== undefined && (status < 300 || (verdict.unclassified && status >= 500))) {
    // Understood by nobody, yet it may have been accepted.
    return {
      ...http.unknown(status < 300 ? 'SES_BROKEN_ANSWER' : `SES_HTTP_${status}`, said),
      trace: traceOf(status, said),
    };
  }
  return asOutcome(verdict, { said, status, nowMs, retryAfter: headerOf($response, 'retry-after') });
}

export const SES_TIMEOUT = 'SES_TIMEOUT';

interface SdkError {
  name?: string;
  message?: string;
  $metadata?: { httpStatusCode?: number };
  $response?: SdkResponse;
}

interface SdkResponse {
  statusCode?: number;
  headers?: Record<string, string>;
}

/** Thrown by the SDK before a connection is opened. */
const BEFORE_THE_WIRE = [
  { pattern: /^CredentialsProviderError:/, name: 'CredentialsProviderError' },
  { pattern: /Region is missing/, name: 'RegionMissing' },
];

function asOutcome(
  { quotaSpent, unclassified, ...verdict }: SesVerdict,
  seen: { said: string; status: number | undefined; nowMs: number; retryAfter: string | undefined },
): Outcome {
  const failure = { ...verdict, message: seen.said, trace: traceOf(seen.status, seen.said) };
  switch (failure.kind) {
    case 'rejected':
      return { ...failure, kind: 'rejected' };
    case 'misconfigured':
      return { ...failure, kind: 'misconfigured' };
    case 'deferred': {
      const asked = parseRetryAfter(seen.retryAfter, seen.nowMs);
      const retryAt = asked ?? (quotaSpent ? seen.nowMs + QUOTA_WAIT_MS : undefined);
      return {
        ...failure,
        kind: 'deferred',
        ...(retryAt === undefined ? {} : { retryAt }),
        ...(quotaSpent ? { uncounted: true } : {}),
        ...(unclassified ? { unclassified } : {}),
      };
    }
  }
}

function traceOf(status: number | undefined, response: string): Trace {
  if (status === undefined) return { stage: 'connect' };
  return { stage: 'reply', responseCode: status, response };
}

function headerOf(response: SdkResponse | undefined, wanted: string): string | undefined {
  return Object.entries(response?.headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1];
}
