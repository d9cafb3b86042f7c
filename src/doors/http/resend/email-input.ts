/**
 * The body of `POST /resend/emails` as what intake takes. Names are translated, tags checked and kept as metadata, a
 * template replaced by its content; whether addresses, headers and content hold is for intake to say.
 */
import { type Fields, PostriderError } from '../../../kernel/index.js';
import type { FilledTemplate } from '../../../render/index.js';
import { attachmentInputs, type FileSource } from './attachment-input.js';
import { fieldsOf, missing } from './read-body.js';
import { parseScheduledAt } from './scheduled-at.js';

export interface EmailSources {
  now(): number;
  fetchFile: FileSource;
  /** A published template of the company, filled in. */
  template(template: unknown): Promise<FilledTemplate>;
  /** The preference a topic of the company stands for. */
  categoryOf(topicId: unknown): Promise<string>;
}

export async function emailInput(input: unknown, sources: EmailSources): Promise<object> {
  const body = fieldsOf(input);
  const template = await contentOf(body, sources);
  const said: Fields = {
    ...body,
    from: body.from ?? template?.from,
    subject: body.subject ?? template?.subject,
  };
  for (const field of ['from', 'to', 'subject'] as const) if (said[field] === undefined) throw missing(field);
  const content = template ?? { html: body.html, text: body.text };
  if (content.html === undefined && content.text === undefined) throw missing('html');
  const attachments = await attachmentInputs(body.attachments, sources.fetchFile);
  const tags = tagsOf(body.tags);
  const replyTo = body.reply_to ?? template?.replyTo;
  const metadata = {
    ...(tags && { tags }),
    ...(template && { templateId: template.id }),
    ...(body.topic_id !== undefined && { topicId: body.topic_id }),
  };
  return {
    from: said.from,
    to: body.to,
    subject: said.subject,
    ...(content.html !== undefined && { html: content.html }),
    ...(content.text !== undefined && { text: content.text }),
    ...(body.cc !== undefined && { cc: body.cc }),
    ...(body.bcc !== undefined && { bcc: body.bcc }),
    ...(replyTo !== undefined && { replyTo }),
    ...(body.headers !== undefined && { headers: body.headers }),
    ...(attachments && { attachments }),
    ...(body.scheduled_at !== undefined && {
      scheduledAt: parseScheduledAt(body.scheduled_at, sources.now()),
    }),
    ...(body.topic_id !== undefined && { category: await sources.categoryOf(body.topic_id) }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

async function contentOf(body: Fields, { template }: EmailSources): Promise<FilledTemplate | null> {
  if (body.template === undefined) return null;
  for (const field of ['html', 'text'])
    if (body[field] !== undefined) throw refused(field, 'comes from the template');
  return template(body.template);
}

const TAG = /^[A-Za-z0-9_-]{1,256}$/;
const MAX_TAGS = 50;

/** An object, because that is how webhooks show them. */
function tagsOf(input: unknown): Record<string, string> | null {
  if (input === undefined) return null;
  if (!Array.isArray(input)) throw refused('tags', 'must be a list');
  if (input.length > MAX_TAGS) throw refused('tags', `has more than ${MAX_TAGS} entries`);
  const tags: Record<string, string> = Object.create(null);
  for (const [index, item] of input.entries()) {
    const tag = fieldsOf(item, `tags[${index}]`);
    for (const part of ['name', 'value'])
      if (typeof tag[part] !== 'string' || !TAG.test(tag[part]))
        throw refused(`tags[${index}].${part}`, 'must be 1 to 256 letters, digits, underscores or dashes');
    tags[tag.name as string] = tag.value as string;
  }
  return { ...tags };
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
