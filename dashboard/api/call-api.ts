/**
 * The one way to the API. Answers are what the API promises in its own types; a refusal is thrown as `ApiError`. The
 * session is a cookie no script can read; that a write comes from this very page the browser says itself.
 */
import { readProblem, unreachable } from './api-error.js';

export type Query = Record<string, string | number | boolean | null | undefined>;

export interface CallOptions {
  query?: Query;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of a body; its type stands in the headers. */
  file?: Blob;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export async function callApi<Answer>(
  method: string,
  path: string,
  { query, body, file, headers, signal }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(path + queryOf(query), {
    method,
    credentials: 'same-origin',
    cache: 'no-store',
    headers: {
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined ? { body: JSON.stringify(body) } : file && { body: file }),
    ...(signal && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw unreachable();
  });
  if (!response.ok) throw await readProblem(response);
  return (response.status === 204 ? null : await response.json()) as Answer;
}

/** What is empty is left out, so that a cleared field is no filter. */
export function queryOf(query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
