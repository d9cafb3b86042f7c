import { type Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** One request by hand, because fetch corrects or refuses many of the requests that are made here. */
export interface Call {
  port: number;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** A bearer token. */
  as?: string | null;
  /** By default each request has a connection of its own: one that a refusal has closed must not hurt the next. */
  agent?: Agent;
  timeoutMs?: number;
}

export interface Answer {
  /** 0 where the connection ended without one. */
  status: number;
  /** Of the body. */
  bytes: number;
  sentBytes: number;
  /** Its first 256 KB. */
  text: string;
  /** Why there is no status. */
  error: string | null;
}

export function call({
  port,
  method,
  path,
  headers,
  body,
  as,
  agent,
  timeoutMs = 30_000,
}: Call): Promise<Answer> {
  return new Promise((resolve) => {
    const sentBytes = body === undefined ? 0 : Buffer.byteLength(body);
    const failed = (error: Error) =>
      resolve({ status: 0, bytes: 0, sentBytes, text: '', error: error.message });
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const sent = request(
        {
          ...{ host: '127.0.0.1', port, method, path, signal, agent: agent ?? false },
          headers: {
            ...(as && { Authorization: `Bearer ${as}` }),
            ...(body !== undefined && { 'Content-Length': String(sentBytes) }),
            ...headers,
          },
        },
        (response) => void read(response, sentBytes).then(resolve, failed),
      );
      sent.on('error', failed);
      // A refusal that comes before the whole body was sent ends the connection under it.
      sent.on('socket', (socket) => socket.on('error', failed));
      sent.end(body);
    } catch (error) {
      failed(error as Error); // what Node itself does not send: a path with a line break
    }
  });
}

const KEPT_BYTES = 256 * 1024;

async function read(response: IncomingMessage, sentBytes: number): Promise<Answer> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (bytes < KEPT_BYTES) kept.push(chunk);
    bytes += chunk.length;
  }
  return {
    status: response.statusCode ?? 0,
    bytes,
    sentBytes,
    text: Buffer.concat(kept).toString(),
    error: null,
  };
}

export function json(answer: Answer): Record<string, unknown> {
  return JSON.parse(answer.text) as Record<string, unknown>;
}

/** Asks again until the answer is the one wanted; null where it is not in time. */
export async function callUntil(
  ask: () => Promise<Answer>,
  wanted: (answer: Answer) => boolean,
  withinMs: number,
): Promise<Answer | null> {
  const until = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > until) return null;
    await pause(5);
  }
}
