import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from './attack.js';
import type { Target } from './target.js';

/** Inputs that are harmless alone and not together: slow senders, slow servers, many readers. */
const KB = 1024;
const MB = 1024 ** 2;

/** Each of many sends names a file whose server gives 9 MB of it at once and the rest never. */
export async function drippedFiles(target: Target): Promise<Outcome> {
  const held = Buffer.alloc(9 * MB, 1);
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Length': String(held.length + 1) });
    response.write(held);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const path = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`;
  const email = {
    from: 'a@example.com',
    to: 'a@example.net',
    subject: 'x',
    text: 'x',
    attachments: [{ path }],
  };
  const sent = {
    ...{ method: 'POST', path: '/resend/emails', timeoutMs: 60_000 },
    ...{ body: JSON.stringify(email), headers: { 'Content-Type': 'application/json' } },
  };
  const counts = new Counts();
  try {
    await Promise.all(
      Array.from({ length: 150 }, async () => {
        const { status, error } = await target.ask(sent);
        counts.add(String(status || error));
      }),
    );
    return { status: counts.text(), answerBytes: 0 };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Many strangers each send all but the last byte of a body, and then nothing. */
export async function halfBodies(target: Target): Promise<Outcome> {
  const body = Buffer.alloc(255 * KB, 97);
  const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
  const counts = new Counts();
  const open = (): Promise<void> =>
    new Promise((resolve) => {
      const asked = request({
        ...{ host: '127.0.0.1', port: target.port, method: 'POST', path: '/hooks/ses', agent },
        headers: { 'Content-Length': String(body.length + 1) },
      });
      asked.on('response', (response: IncomingMessage) => {
        counts.add(String(response.statusCode));
        response.resume();
        resolve();
      });
      asked.on('error', (error) => {
        counts.add((error as NodeJS.ErrnoException).code ?? 'closed');
        resolve();
      });
      asked.write(body, () => resolve());
    });
  // In waves, so that the backlog of the port does not refuse them instead.
  for (let wave = 0; wave < 40; wave++)
    await Promise.race([Promise.all(Array.from({ length: 100 }, open)), pause(2000)]);
  // What was sent is read some turns later.
  for (let turn = 0; turn < 20; turn++) {
    await target.ask({ method: 'GET', path: '/health/live' });
    await pause(100);
  }
  agent.destroy();
  return { status: counts.text(), answerBytes: 0 };
}

/** Ten strangers read the same large email while another tenant sends one after the other. */
export async function manyReaders(target: Target, path: string): Promise<Outcome> {
  const until = performance.now() + 3000;
  const counts = new Counts();
  /** Of the victim's own work, while the other tenant waits for its answer. */
  let longestMs = 0;
  const reader = async () => {
    while (performance.now() < until) {
      const { status, error } = await target.ask({ method: 'GET', path, as: null });
      counts.add(String(status || error));
    }
  };
  const sender = async () => {
    while (performance.now() < until) {
      const began = target.victim.cpuMs();
      await target.ask({
        ...{ method: 'POST', path: '/v1/email/send', as: target.contents.otherKey },
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ to: 'other@example.net', subject: 'Hello', text: 'Hello' }),
      });
      longestMs = Math.max(longestMs, target.victim.cpuMs() - began);
      await pause(50);
    }
  };
  await Promise.all([...Array.from({ length: 10 }, reader), sender()]);
  return {
    ...{ status: counts.text(), answerBytes: 0 },
    ...(longestMs > 1000 && { wrong: `another tenant waits behind ${Math.round(longestMs)} ms of work` }),
  };
}

class Counts {
  private readonly counts = new Map<string, number>();

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  text(): string {
    return [...this.counts].map(([name, count]) => `${name} × ${count}`).join(', ') || 'no answer';
  }
}
