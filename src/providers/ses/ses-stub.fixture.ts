import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * SES as far as signatures go: it refuses a message with two of them, for good, and so one with a single one when the
 * identity of the sender signs by itself.
 */
export interface SesStub {
  url: string;
  /** Messages it took. */
  taken: string[];
  /** What was asked about identities. */
  asked: string[];
}

export interface Identity {
  /** The status of its own key. */
  status?: string;
  signs: boolean;
}

export async function sesStub({
  identities = {},
  mayAsk = true,
}: {
  identities?: Record<string, Identity>;
  mayAsk?: boolean;
} = {}): Promise<SesStub> {
  const stub: SesStub = { url: '', taken: [], asked: [] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const answer = (status: number, body: object, error?: string) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(error && { 'x-amzn-errortype': error }),
      });
      response.end(JSON.stringify(body));
    };
    const [, name] = /^\/v2\/email\/identities\/(.+)$/.exec(request.url ?? '') ?? [];
    if (name !== undefined) {
      const identity = decodeURIComponent(name);
      stub.asked.push(identity);
      const known = identities[identity];
      if (!mayAsk) return answer(403, { message: 'not authorized' }, 'AccessDeniedException');
      if (!known) return answer(404, { message: 'no such identity' }, 'NotFoundException');
      const { status = 'SUCCESS', signs } = known;
      return answer(200, { DkimAttributes: { SigningEnabled: signs, Status: status } });
    }
    const raw = Buffer.from(
      JSON.parse(Buffer.concat(chunks).toString()).Content.Raw.Data,
      'base64',
    ).toString();
    if (refusesSignatures(raw, identities))
      return answer(400, { message: DUPLICATE_SIGNATURE }, 'BadRequestException');
    stub.taken.push(raw);
    answer(200, { MessageId: `id-${stub.taken.length}` });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  stub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return stub;
}

export const DUPLICATE_SIGNATURE = "Duplicate header 'DKIM-Signature'.";

export function refusesSignatures(raw: string, identities: Record<string, Identity> = {}): boolean {
  const [head = ''] = raw.split('\r\n\r\n');
  const own = signaturesIn(head).length;
  const domain = /^From:.*@([a-z0-9.-]+)/im.exec(head)?.[1] ?? '';
  const { signs = false, status = 'SUCCESS' } = identities[domain] ?? {};
  return own > 1 || (own === 1 && signs && status === 'SUCCESS');
}

/** The fields of each DKIM-Signature. */
export function signaturesIn(raw: string): Array<Record<string, string>> {
  const [head = ''] = raw.split('\r\n\r\n');
  return head
    .split(/\r\n(?![ \t])/)
    .filter((line) => /^dkim-signature:/i.test(line))
    .map((line) =>
      Object.fromEntries(
        line
          .slice(line.indexOf(':') + 1)
          .split(';')
          .map((part) => part.replace(/\s+/g, ''))
          .filter((part) => part.includes('='))
          .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
      ),
    );
}
