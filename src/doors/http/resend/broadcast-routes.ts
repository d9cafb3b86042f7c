/** Broadcasts: one email to everyone of a segment. A key that is bound to domains broadcasts from them alone. */
import { type Context, Hono } from 'hono';
import { confineEmail } from '../../../access/index.js';
import {
  type Fields,
  invalidPayload,
  PostriderError,
  parseLine,
  parseMailbox,
  parseMailboxes,
  parseString,
} from '../../../kernel/index.js';
import type { Broadcast, BroadcastInput, ListedBroadcast } from '../../../schedules/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { cutPage, pageQuery } from './list-page.js';
import { readBody } from './read-body.js';
import { parseScheduledAt } from './scheduled-at.js';

export function resendBroadcastRoutes({ rooms, clock }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { broadcasts, defaultCompany } = rooms;
  const company = (c: Context<HttpEnv>) => callerCompany(c, defaultCompany);
  const idOf = (c: Context) => (c.req.param('broadcast') ?? '').toLowerCase();

  async function inputOf(c: Context<HttpEnv>, body: Fields): Promise<BroadcastInput> {
    const input = broadcastInput(body);
    if (input.from) confineEmail(c.get('caller'), { from: input.from });
    return input;
  }
  const timeOf = (at: unknown) => (at === undefined ? null : parseScheduledAt(at, clock.now()));

  routes.post('/broadcasts', async (c) => {
    const body = await readBody(c);
    const at = timeOf(body.scheduled_at);
    const { id } = await broadcasts.create(company(c), await inputOf(c, body));
    if (body.send === true) await broadcasts.send(company(c), id, at);
    return c.json({ object: 'broadcast', id }, 201);
  });

  routes.get('/broadcasts', async (c) => {
    const listed = await broadcasts.list(company(c));
    return c.json(cutPage(listed.map(brief), pageQuery(c, { all: true })));
  });

  routes.get('/broadcasts/:broadcast', async (c) => {
    const broadcast = await broadcasts.find(company(c), idOf(c));
    if (broadcast === null) throw new PostriderError('NOT_FOUND', 'Broadcast not found', { field: 'id' });
    return c.json({ object: 'broadcast', ...whole(broadcast) });
  });

  routes.patch('/broadcasts/:broadcast', async (c) => {
    const body = await readBody(c);
    const { id } = await broadcasts.update(company(c), idOf(c), await inputOf(c, body));
    return c.json({ object: 'broadcast', id });
  });

  routes.post('/broadcasts/:broadcast/send', async (c) => {
    const { scheduled_at: at } = await readBody(c);
    // A draft of another key's may come from where this one may not.
    const draft = await broadcasts.find(company(c), idOf(c));
    if (draft?.content.from) confineEmail(c.get('caller'), { from: draft.content.from });
    const { id } = await broadcasts.send(company(c), idOf(c), timeOf(at));
    return c.json({ object: 'broadcast', id });
  });

  routes.post('/broadcasts/:broadcast/cancel', async (c) => {
    const { id } = await broadcasts.cancel(company(c), idOf(c));
    return c.json({ object: 'broadcast', id });
  });

  routes.post('/broadcasts/:broadcast/duplicate', async (c) => {
    const { id } = await broadcasts.duplicate(company(c), idOf(c));
    return c.json({ object: 'broadcast', id }, 201);
  });

  routes.delete('/broadcasts/:broadcast', async (c) => {
    await broadcasts.remove(company(c), idOf(c));
    return c.json({ object: 'broadcast', id: idOf(c), deleted: true });
  });

  return routes;
}

const MAX_CONTENT = 512 * 1024;

function broadcastInput(body: Fields): BroadcastInput {
  const said = (
    field: string,
    name: keyof BroadcastInput,
    parse: (value: unknown, field: string) => unknown,
  ) => (body[field] === undefined ? {} : { [name]: parse(body[field], field) });
  const line = (max: number) => (value: unknown, field: string) => parseLine(value, field, max);
  const segment = body.segment_id ?? body.audience_id;
  return {
    ...said('name', 'name', line(200)),
    ...(segment !== undefined && { segmentId: parseLine(segment, 'segment_id', 64) }),
    ...said('topic_id', 'topicId', line(64)),
    ...said('from', 'from', (value, field) => {
      parseMailbox(value, field);
      return String(value);
    }),
    ...said('reply_to', 'replyTo', (value, field) => {
      parseMailboxes(value, field, 10);
      return [value].flat().map(String);
    }),
    ...said('subject', 'subject', line(500)),
    ...said('preview_text', 'previewText', line(500)),
    ...said('html', 'html', contentOf),
    ...said('text', 'text', contentOf),
  };
}

function contentOf(value: unknown, field: string): string | null {
  const text = parseString(value, field);
  if (text !== null && text.length > MAX_CONTENT) throw invalidPayload(field, 'is longer than 512 KB');
  return text;
}

function brief({ id, name, segmentId, status, createdAt, scheduledAt, sentAt }: ListedBroadcast) {
  return {
    ...{ id, name, segment_id: segmentId, audience_id: segmentId, status },
    ...{ created_at: createdAt, scheduled_at: scheduledAt, sent_at: sentAt },
  };
}

function whole(broadcast: Broadcast) {
  const { from, subject, replyTo, previewText, html, text } = broadcast.content;
  return {
    ...brief(broadcast),
    ...{
      from,
      subject,
      reply_to: replyTo,
      preview_text: previewText,
      html,
      text,
      topic_id: broadcast.topicId,
    },
  };
}
