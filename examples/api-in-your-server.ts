/**
 * The HTTP API in a node:http server of your own. The server tells the API where each connection comes from; with
 * `open: true` instead of the key that address decides, and only callers on this machine are answered.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { createPostrider } from '../src/index.js'; // in your application: from 'postrider'
import { createApi } from '../src/server.js'; // from 'postrider/server'
import { untilEnded } from './until-ended.js';

const KEY = 'the-operators-key';
const postrider = createPostrider({ config: { log: { level: 'warn' } } });
await postrider.start();

const api = createApi(postrider, { apiKey: KEY });
const listener = getRequestListener((request, env) =>
  api(request, { remoteAddress: (env as HttpBindings).incoming.socket.remoteAddress }),
);
const server = createServer(listener);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/email/send`;

const body = JSON.stringify({ to: 'ada@example.com', subject: 'Hello', text: 'From your own server.' });
const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${KEY}` };
const refused = await fetch(url, { method: 'POST', body, headers: { ...headers, Authorization: '' } });
console.log('without a key:', refused.status);
const accepted = await fetch(url, { method: 'POST', body, headers });
console.log('with the key: ', accepted.status);
const { emailId } = (await accepted.json()) as { emailId: string };
console.log('it is:        ', await untilEnded(postrider, emailId));

server.close();
server.closeAllConnections();
await postrider.stop();
