import type { DeliveryMode, Priority, StoredAttachment } from '../outbox/index.js';
import type { RetryPresetName } from '../policy/index.js';
import type { EmailRegistry, OverrideCache, Overrides, Renderer, TypeAttachment } from '../render/index.js';
import { parseAttachments } from './draft-attachments.js';

/**
 * The content of an email that names a type and brings data: data checked against the type's schema, the tenant's
 * override or the code's template rendered, the type's own files added. Nothing is written before all of it holds.
 */
export function renderTyped(
  { registry, renderer }: Content,
  overrides: Overrides | null,
  defaultTenant: string,
): RenderTyped {
  return ({ type: name, data, companyId, lang, attachments, maxAttachmentBytes, at, unsubscribeUrl }) => {
    const type = registry.get(name);
    const checked = renderer.checkData(type, data);
    const tenant = companyId ?? defaultTenant;
    const override = overrides ? (tag: string) => overrides.find(tenant, name, tag) : undefined;
    const { images = [], ...content } = renderer.render({
      ...{ type, lang, data: withLink(checked, unsubscribeUrl), companyId: tenant },
      ...(override && { override }),
    });
    const own = renderer.attachments({ type, data: checked, companyId: tenant, at: new Date(at) });
    const files = [...images, ...own];
    const { priority, retry, delivery, expiresInMs, sensitive } = type;
    return {
      ...content,
      ...(files.length > 0 && {
        attachments: parseAttachments([...attachments, ...files.map(encode)], maxAttachmentBytes),
      }),
      choices: { priority, retry, delivery, expiresInMs, sensitive },
    };
  };
}

export interface Content {
  registry: EmailRegistry;
  renderer: Renderer;
  /** null: overrides are not used. */
  overrides: OverrideCache | null;
}

export type RenderTyped = (request: {
  type: string;
  data: Record<string, unknown>;
  companyId: string | null;
  lang: string | null;
  attachments: StoredAttachment[];
  maxAttachmentBytes?: number | undefined;
  /** The moment of acceptance. */
  at: number;
  /** The one address it goes to; null where there are several. */
  soleAddress: string | null;
  /** Where the person can refuse this kind of email. */
  unsubscribeUrl?: string | undefined;
}) => TypedContent;

export interface TypedContent {
  subject: string;
  html: string;
  text: string;
  attachments?: StoredAttachment[];
  choices?: TypeChoices;
}

/** How a type is sent where the sender does not say. */
export interface TypeChoices {
  priority?: Priority | undefined;
  retry?: RetryPresetName | undefined;
  delivery?: DeliveryMode | undefined;
  expiresInMs: number | null;
  sensitive: boolean;
}

/** A link the caller made itself stays. */
function withLink(data: unknown, unsubscribeUrl: string | undefined): unknown {
  if (unsubscribeUrl === undefined || typeof data !== 'object' || data === null) return data;
  return { unsubscribeUrl, ...data };
}

/** A guess that may be wrong one way only: true for an input that turns out to need none. */
export function needsTemplate(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  const { type, html, text } = input as Record<string, unknown>;
  return typeof type === 'string' && !isText(html) && !isText(text);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && /\S/.test(value);
}

function encode({ content, ...file }: TypeAttachment) {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content);
  return { ...file, content: bytes.toString('base64') };
}
