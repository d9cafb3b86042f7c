import { ERROR_TABLE, type ErrorCode, PostriderError } from '../../kernel/index.js';
import type { ApiCall, Overview, Receipt, SendInput, SendOptions, TimelineEvent } from './application.js';

/**
 * A Postrider on this machine, asked through its API. It can send and look at single emails; of the
 * whole it only knows that it is the one running. Its refusals come back as the errors they are.
 */
export function askRunningProcess(fetch: typeof globalThis.fetch, { host, port, apiKey }: Address) {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const base = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;

  async function ask(path: string, init: RequestInit = {}): Promise<unknown> {
    const headers = new Headers(init.headers);
    if (apiKey !== null) headers.set('authorization', `Bearer ${apiKey}`);
    const response = await fetch(`${base}${path}`, {
      ...init,
      headers,
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const body: unknown = response.status === 204 ? null : await response.json();
    if (!response.ok) throw refusalOf(body, response.status);
    return body;
  }

  const call: ApiCall = <Answer>(method: string, path: string, body?: object) =>
    ask(path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    }) as Promise<Answer>;

  return {
    url: base,
    call,
    /** Whether anything speaks HTTP there at all. */
    async answers(): Promise<boolean> {
      try {
        const response = await fetch(`${base}/health/live`, { signal: AbortSignal.timeout(ANSWER_MS) });
        return response.ok;
      } catch {
        return false;
      }
    },
    send(input: SendInput, options: SendOptions = {}): Promise<Receipt> {
      const headers = new Headers({ 'content-type': 'application/json' });
      if (options.requestId) headers.set('x-request-id', options.requestId);
      if (options.idempotencyKey) headers.set('idempotency-key', options.idempotencyKey);
      const body = JSON.stringify(input);
      return ask('/v1/email/send', { method: 'POST', headers, body }) as Promise<Receipt>;
    },
    async get(emailId: string): Promise<Record<string, unknown> | null> {
      try {
        return (await ask(`/v1/emails/${emailId}`)) as Record<string, unknown>;
      } catch (error) {
        if (error instanceof PostriderError && error.code === 'EMAIL_NOT_FOUND') return null;
        throw error;
      }
    },
    timeline(emailId: string): Promise<TimelineEvent[]> {
      return ask(`/v1/emails/${emailId}/events`) as Promise<TimelineEvent[]>;
    },
    async overview(): Promise<Overview> {
      const itself = { name: base, host: name, pid: 0, beatAgeMs: 0, alive: true };
      return { byStatus: {}, oldestWaitingSeconds: null, workers: [itself], pauses: [], routes: [] };
    },
  };
}

interface Address {
  host: string;
  port: number;
  apiKey: string | null;
}

const ANSWER_MS = 10_000;

export function refusalOf(body: unknown, status: number): PostriderError {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const code = String(said.code);
  const known = Object.hasOwn(ERROR_TABLE, code) ? (code as ErrorCode) : 'INTERNAL';
  const message = typeof said.detail === 'string' ? said.detail : `The running process answered ${status}.`;
  return new PostriderError(known, message, typeof said.field === 'string' ? { field: said.field } : {});
}
