import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * An HTTP server for tests that answers each request with the next of its answers, the last one for
 * good, and remembers what it was asked. It ends with the test.
 */
export async function httpStub(...answers: StubAnswer[]): Promise<HttpStub> {
  const requests: StubRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    });
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? { status: 500 };
    if (typeof answer === 'function') answer(response);
    else respond(response, answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, stop };
}

export interface HttpStub {
  url: string;
  requests: StubRequest[];
  stop(): Promise<void>;
}

export interface StubRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export type StubAnswer =
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse) => void);

/** The connection is cut after the request was read. */
export const cut: StubAnswer = (response) => response.socket?.destroy();

/** Nothing is ever answered. */
export const silence: StubAnswer = () => {};

/** More is announced than comes. */
export function truncated(status: number, body: string): StubAnswer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length + 100 });
    response.write(body, () => response.socket?.destroy());
  };
}

function respond(response: ServerResponse, answer: Exclude<StubAnswer, (response: ServerResponse) => void>) {
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {});
  response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  response.end(body);
}
