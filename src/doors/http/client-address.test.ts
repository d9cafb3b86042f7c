import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { type Connection, clientAddress } from './client-address.js';

const DIRECT = '198.51.100.1';

test.each([
  ['no proxy trusted: the header', 0, '203.0.113.9', DIRECT],
  ['one proxy: what the caller wrote before it', 1, '1.1.1.1, 203.0.113.9', '203.0.113.9'],
  ['two proxies', 2, '1.1.1.1, 203.0.113.9, 10.0.0.1', '203.0.113.9'],
  ['more proxies trusted than there were', 3, '203.0.113.9', DIRECT],
  ['no header at all', 1, '', DIRECT],
  ['a name', 1, 'unknown', DIRECT],
  ['digits that are no address', 1, '1.2.3', DIRECT],
  ['a proxy that adds the port', 1, '203.0.113.9:4711', '203.0.113.9'],
  ['the same for IPv6', 1, '[2001:db8::1]:4711', '2001:db8::1'],
  ['IPv6 in brackets', 1, '[2001:db8::1]', '2001:db8::1'],
  ['IPv6', 1, '2001:db8::1', '2001:db8::1'],
])('%s → the address is told from what can be believed', async (_case, trusted, header, expected) => {
  expect(await addressOf({ remoteAddress: DIRECT }, trusted, header)).toBe(expected);
});

test.each([[undefined], [null], ['localhost'], ['']])(
  'a server that tells %j → the address is unknown',
  async (remoteAddress) => {
    expect(await addressOf({ remoteAddress }, 0, '')).toBe('unknown');
  },
);

async function addressOf(connection: Connection, trusted: number, header: string): Promise<string> {
  const app = new Hono().get('/', (c) => c.text(clientAddress(c, trusted) ?? 'unknown'));
  const headers: Record<string, string> = header === '' ? {} : { 'X-Forwarded-For': header };
  return (await app.request('/', { headers }, connection)).text();
}
