/**
 * The inbox over HTTP: under `/dev/inbox` what its page in the dashboard and tests read.
 * Nothing of a message is ever served so that a browser would run it as part of this site.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import { eventStream } from '../dev-page/index.js';
import type { Inbox } from './create-inbox.js';
import type { InboxMessage } from './inbox-message.js';
import { FRAME_POLICY, presentHtml } from './present-html.js';
import { type OpenedMessage, readMessage } from './read-message.js';
import { sampleEmail } from './sample-email.js';

/** What "Send a sample" calls. */
export interface SampleSender {
  accept(input: unknown, options: { requestId: string }): Promise<object>;
}

export function inboxRoutes(inbox: Inbox, sender: SampleSender): Hono<{ Variables: { requestId: string } }> {
  const routes = new Hono<{ Variables: { requestId: string } }>();
  const changes = () =>
    eventStream((tell) => inbox.subscribe(({ kind, ...rest }) => tell(kind, rest)), { maxUnread: 1000 });

  routes.get('/dev/inbox/messages', (c) => {
    const messages = inbox.list();
    return c.json({ messages, total: messages.length });
  });

  routes.delete('/dev/inbox/messages', async (c) => c.json({ removed: await inbox.clear() }));

  routes.get('/dev/inbox/messages/:id', async (c) => {
    const { message, raw } = await wanted(c);
    return c.json(present(message, await readMessage(raw)));
  });

  routes.get('/dev/inbox/messages/:id/raw', async (c) => {
    const { raw } = await wanted(c);
    return c.body(new Uint8Array(raw), 200, { 'Content-Type': 'text/plain; charset=utf-8' });
  });

  routes.get('/dev/inbox/messages/:id/html', async (c) => {
    const { raw } = await wanted(c);
    return c.html(presentHtml(await readMessage(raw)), 200, { 'Content-Security-Policy': FRAME_POLICY });
  });

  routes.get('/dev/inbox/messages/:id/attachments/:n', async (c) => {
    const { raw } = await wanted(c);
    const n = c.req.param('n');
    const attachment = /^\d{1,4}$/.test(n) ? (await readMessage(raw)).attachments[Number(n)] : undefined;
    if (!attachment)
      throw new PostriderError('NOT_FOUND', 'The message has no such attachment.', { field: 'n' });
    return c.body(new Uint8Array(attachment.content), 200, {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeName(attachment.filename ?? `part-${n}`)}`,
    });
  });

  routes.get('/dev/inbox/stream', (c) => c.body(changes(), 200, { 'Content-Type': 'text/event-stream' }));

  routes.post('/dev/inbox/sample', async (c) =>
    c.json(await sender.accept(sampleEmail(), { requestId: c.get('requestId') }), 202),
  );

  return routes;

  async function wanted(c: Context): Promise<{ message: InboxMessage; raw: Uint8Array }> {
    const message = inbox.find(c.req.param('id') ?? '');
    const raw = message && (await inbox.raw(message.id));
    if (!message || !raw)
      throw new PostriderError('NOT_FOUND', 'The inbox has no such message.', { field: 'id' });
    return { message, raw };
  }
}

function present(message: InboxMessage, opened: OpenedMessage): object {
  return {
    ...message,
    cc: opened.cc,
    replyTo: opened.replyTo,
    html: opened.html,
    text: opened.text,
    headers: opened.headers,
    attachments: opened.attachments.map(({ content, ...rest }, n) => ({
      n,
      ...rest,
      size: content.byteLength,
    })),
    ...(opened.problem !== undefined && { problem: opened.problem }),
  };
}

/** A name may hold half a surrogate pair, which encodeURIComponent throws on. */
function encodeName(name: string): string {
  return encodeURIComponent(name.replace(/[\ud800-\udfff]/gu, '\ufffd')).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
