import { type Clock, isPostriderError, messageOf, PostriderError, trimEndOf } from '../../kernel/index.js';
import { HttpAttempt } from '../http-attempt.js';
import { notBegun, STOPPING, unsent } from '../our-side.js';
import { parseRetryAfter } from '../parse-retry-after.js';
import type { Outcome, OutgoingEmail, Provider, Unknown } from '../provider.js';
import { oneLine } from '../smtp/conversation.js';
import { classifyResendAnswer, QUOTA_WAIT_MS } from './classify-resend-answer.js';
import { type Answer, readAnswer } from './read-answer.js';
import { type ResendRequest, resendPayload } from './resend-payload.js';

/**
 * Delivery through Resend's HTTP API. The email's id is the idempotency key, so an unknown outcome may
 * be repeated for 24 hours without a second copy. No retries here; that is the pipeline's work.
 */
export interface ResendOptions {
  apiKey: string;
  /** Defaults to https://api.resend.com. */
  baseUrl?: string;
  /** From the request to its answer. Defaults to 30 s. */
  timeoutMs?: number;
}

export function createResendProvider(options: ResendOptions, { clock }: { clock: Clock }): Provider {
  const { apiKey, baseUrl, timeoutMs } = resolveOptions(options);
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'user-agent': 'postrider',
  };

  async function post(request: ResendRequest, http: HttpAttempt): Promise<Answer> {
    const response = await fetch(`${baseUrl}/emails`, {
      method: 'POST',
      headers: { ...headers, 'idempotency-key': request.idempotencyKey },
      body: request.body,
      // Following one would hand the key to whoever it names.
      redirect: 'manual',
      signal: http.signal,
    });
    return readAnswer(response);
  }

  return {
    name: 'resend',
    recognisesRepeats: true,
    callsBegin: true,

    async send(email, attempt) {
      if (attempt.signal.aborted) return unsent(STOPPING, 'the process is stopping');
      const request = prepare(email);
      if ('kind' in request) return request;
      const startedAt = clock.now();
      const http = new HttpAttempt(attempt, {
        clock,
        replyTimeoutMs: timeoutMs,
        timeoutCode: RESEND_TIMEOUT,
      });
      try {
        if (!(await http.begin())) return notBegun();
        if (!http.mayRequest()) return repeatable(http.outcomeOfLoss(undefined), startedAt);
        const answer = await post(request, http);
        return repeatable(outcomeOf(answer, http, clock.now()), startedAt);
      } catch (error) {
        return repeatable(http.outcomeOfLoss(error), startedAt);
      } finally {
        http.end();
      }
    },

    async testConnection() {
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const answer = await readAnswer(
          await fetch(`${baseUrl}/domains`, { headers, redirect: 'manual', signal }),
        );
        if (answer.ok) return { ok: true, message: 'Resend is ready' };
        // Such a key may do nothing but send, which is all we want of it.
        if (answer.name === 'restricted_api_key')
          return { ok: true, message: 'Resend is ready (sending key)' };
        return {
          ok: false,
          message: `Resend: ${answer.status} ${answer.name ?? ''} ${answer.message}`.trim(),
        };
      } catch (error) {
        const cause = (error as { cause?: unknown }).cause ?? error;
        return { ok: false, message: oneLine(`Resend: ${messageOf(cause)}`, 500) };
      }
    },

    async close() {},
  };
}

const RESEND_TIMEOUT = 'RESEND_TIMEOUT';
const KEY_KEPT_MS = 24 * 3_600_000;

function outcomeOf(answer: Answer, http: HttpAttempt, nowMs: number): Outcome {
  const trace = { stage: 'reply', responseCode: answer.status, response: answer.message };
  if (answer.ok) {
    if (answer.id !== undefined) return { kind: 'sent', providerMessageId: answer.id, trace };
    return { ...http.unknown('RESEND_BROKEN_ANSWER', 'Resend answered without an id'), trace };
  }
  const { quotaSpent, unclassified, ...verdict } = classifyResendAnswer(
    answer.status,
    answer.name,
    answer.message,
  );
  const failure = { ...verdict, message: answer.message, trace };
  switch (failure.kind) {
    case 'rejected':
      return { ...failure, kind: 'rejected' };
    case 'misconfigured':
      return { ...failure, kind: 'misconfigured' };
    case 'unknown':
      return { ...failure, kind: 'unknown' };
    case 'deferred': {
      const asked = parseRetryAfter(answer.retryAfter, nowMs);
      const retryAt = asked ?? (quotaSpent ? nowMs + QUOTA_WAIT_MS : undefined);
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

function repeatable(outcome: Outcome, startedAt: number): Outcome {
  if (outcome.kind !== 'unknown') return outcome;
  return { ...outcome, repeatableUntil: startedAt + KEY_KEPT_MS } satisfies Unknown;
}

function prepare(email: OutgoingEmail): ResendRequest | Outcome {
  try {
    return resendPayload(email);
  } catch (error) {
    if (!isPostriderError(error)) throw error;
    const { code, message } = error;
    const trace = { stage: 'connect' };
    return { kind: 'rejected', scope: 'message', code, category: 'VALIDATION_ERROR', message, trace };
  }
}

function resolveOptions({ apiKey, baseUrl = 'https://api.resend.com', timeoutMs = 30_000 }: ResendOptions) {
  if (!/^[\x21-\x7e]+$/.test(apiKey)) throw invalid('apiKey', 'The Resend key is empty or holds a space.');
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw invalid('baseUrl', 'The address of Resend starts with https:// or http://.');
  }
  return { apiKey, baseUrl: trimEndOf(baseUrl, '/'), timeoutMs };
}

function invalid(field: string, message: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', message, { field: `resend.${field}` });
}
