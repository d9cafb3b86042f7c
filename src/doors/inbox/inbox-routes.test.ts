import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isPostriderError, ManualClock, newId, silentLogger } from '../../kernel/index.js';
import { createInbox, type Inbox } from './create-inbox.js';
import { inboxRoutes } from './inbox-routes.js';

const ENVELOPE = { from: 'sender@example.com', to: ['ada@example.com'] };
let directory: string;
let inbox: Inbox;
let listeners: number;
let accepted: unknown[];
let app: Hono<{ Variables: { requestId: string } }>;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'inbox-routes-'));
  inbox = await createInbox({ directory, clock: new ManualClock(), logger: silentLogger });
  const { subscribe } = inbox;
  listeners = 0;
  inbox.subscribe = (listener) => {
    const stop = subscribe(listener);
    listeners++;
    return () => {
      listeners--;
      stop();
    };
  };
  accepted = [];
  app = new Hono();
  app.onError(
    (error) => new Response(error.message, { status: isPostriderError(error) ? error.status : 500 }),
  );
  app.use(async (c, next) => {
    c.set('requestId', 'r1');
    await next();
  });
  const accept = async (input: unknown, options: object) => {
    accepted.push([input, options]);
    return { queued: true, emailId: 'e1', ...options, status: 'pending' };
  };
  app.route('/', inboxRoutes(inbox, { accept }));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

test('the list → newest first with a total', async () => {
  await inbox.add(message('<p>one</p>', 'one'), ENVELOPE);
  await inbox.add(message('<p>two</p>', 'two'), ENVELOPE);
  const answer = await json('/dev/inbox/messages');
  expect(answer).toMatchObject({ messages: [{ subject: 'two' }, { subject: 'one' }], total: 2 });
});

test('one message → parts, headers, envelope, and attachments without their content', async () => {
  const { id } = await inbox.add(message('<img src="cid:logo@x">'), ENVELOPE);
  expect(await json(`/dev/inbox/messages/${id}`)).toMatchObject({
    id,
    html: expect.stringContaining('cid:logo@x'),
    text: expect.stringContaining('plain words'),
    envelope: ENVELOPE,
    headers: expect.arrayContaining([{ name: 'X-Odd-Case', value: 'kept' }]),
    attachments: [
      { n: 0, filename: 'lo"go\r\nx.png', contentType: 'image/png', contentId: 'logo@x', size: 8 },
    ],
  });
});

test('the source → the bytes as received, as plain text', async () => {
  const raw = message('<p>hi</p>');
  const { id } = await inbox.add(raw, ENVELOPE);
  const answer = await app.request(`/dev/inbox/messages/${id}/raw`);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(raw);
});

test('the HTML → inline images as data, links to a new tab, under a policy that allows neither script nor network', async () => {
  const { id } = await inbox.add(
    message('<html><head></head><script>alert(1)</script><img src="cid:logo@x">'),
    ENVELOPE,
  );
  const answer = await app.request(`/dev/inbox/messages/${id}/html`);
  const html = await answer.text();
  expect(html).toContain('<head><base target="_blank"></head>');
  expect(html).toContain('src="data:image/png;base64,iVBORw0KGgo="');
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/^sandbox allow-popups allow-popups-to-escape-sandbox;/);
  expect(policy).not.toMatch(/script|https?:|allow-same-origin/);
});

test('an attachment → a download that no browser opens, its hostile name encoded', async () => {
  const { id } = await inbox.add(message('<p>hi</p>'), ENVELOPE);
  const answer = await app.request(`/dev/inbox/messages/${id}/attachments/0`);
  expect(answer.headers.get('content-type')).toBe('application/octet-stream');
  expect(answer.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''lo%22go%0D%0Ax.png");
  expect((await answer.arrayBuffer()).byteLength).toBe(8);
});

test.each(['1', '-1', '0x0', 'constructor'])('attachment %s that is not there → 404', async (n) => {
  const { id } = await inbox.add(message('<p>hi</p>'), ENVELOPE);
  expect((await app.request(`/dev/inbox/messages/${id}/attachments/${n}`)).status).toBe(404);
});

test.each([newId(), '..%2f..%2fpackage.json', 'x'])(
  'message %s that is not there → 404 everywhere',
  async (id) => {
    for (const view of ['', '/raw', '/html', '/attachments/0']) {
      expect((await app.request(`/dev/inbox/messages/${id}${view}`)).status).toBe(404);
    }
  },
);

test('DELETE → everything removed', async () => {
  await inbox.add(message('<p>hi</p>'), ENVELOPE);
  expect(await json('/dev/inbox/messages', { method: 'DELETE' })).toEqual({ removed: 1 });
  expect(inbox.list()).toEqual([]);
});

test('a sample → accepted like any other email, with the request id', async () => {
  const answer = await app.request('/dev/inbox/sample', { method: 'POST' });
  expect(answer.status).toBe(202);
  expect(accepted).toEqual([
    [expect.objectContaining({ to: 'reader@example.com', html: expect.any(String) }), { requestId: 'r1' }],
  ]);
});

test('the stream → a new message as an event, and no listener left when the client goes', async () => {
  const answer = await app.request('/dev/inbox/stream');
  expect(answer.headers.get('content-type')).toBe('text/event-stream');
  const reader = answer.body!.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe('retry: 1000\n\n');
  const { id } = await inbox.add(message('<p>hi</p>', 'line\nbreak'), ENVELOPE);
  const event = await next();
  expect(event).toMatch(/^event: received\ndata: \{.*\}\n\n$/);
  expect(event).toContain(id);
  expect(listeners).toBe(1);
  await reader.cancel();
  expect(listeners).toBe(0);
});

test('a client of the stream that does not read → let go instead of filling memory', async () => {
  const answer = await app.request('/dev/inbox/stream');
  const { id } = await inbox.add(message('<p>hi</p>'), ENVELOPE);
  for (let n = 0; n < 1100 && listeners > 0; n++) await inbox.clear();
  expect(listeners).toBe(0);
  expect(await answer.text()).toContain(id);
});

async function json(path: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await app.request(path, init);
  return answer.json();
}

function message(html: string, subject = 'Subject'): Buffer {
  const parts = [
    `From: sender@example.com\r\nTo: ada@example.com\r\nSubject: ${subject.replaceAll('\n', ' ')}\r\nX-Odd-Case: kept`,
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nplain words',
    `--b\r\nContent-Type: text/html\r\n\r\n${html}`,
    "--b\r\nContent-Type: image/png\r\nContent-ID: <logo@x>\r\nContent-Disposition: attachment; filename*=utf-8''lo%22go%0D%0Ax.png",
    'Content-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--b--\r\n',
  ];
  return Buffer.from(parts.join('\r\n'));
}
