import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An application's endpoint that thanks for everything and counts it by email. */
export interface WebhookSink {
  url: string;
  /** How often it was told of each of these emails. */
  countsOf(emailIds: Iterable<string>): number[];
  /** How many different webhook-ids came. */
  ids(): number;
  close(): Promise<void>;
}

export async function openWebhookSink(status = 200): Promise<WebhookSink> {
  const got: Array<{ id: string; emailId: string }> = [];
  const server = createServer((request, response) => {
    let raw = '';
    request.on('data', (chunk) => {
      raw += chunk;
    });
    request.on('end', () => {
      const { data } = JSON.parse(raw) as { data: { email_id: string } };
      got.push({ id: String(request.headers['webhook-id']), emailId: data.email_id });
      response.writeHead(status).end('thanks');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    countsOf: (emailIds) =>
      [...emailIds].map((emailId) => got.filter((received) => received.emailId === emailId).length),
    ids: () => new Set(got.map((received) => received.id)).size,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
