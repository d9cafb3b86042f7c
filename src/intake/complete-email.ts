import {
  type Clock,
  isPostriderError,
  newId,
  PostriderError,
  Turns,
  unknownRegion,
} from '../kernel/index.js';
import type { HeaderRecipients, NewEmail } from '../outbox/index.js';
import { type ContentProblem, findNotAllowed, findRetryPreset, RETRY_PRESETS } from '../policy/index.js';
import { ESSENTIAL_CATEGORIES } from '../render/index.js';
import { contentRefusal, type EmailDraft, parseEmailDraft, soleAddressOf } from './email-draft.js';
import type { RenderTyped } from './render-typed.js';

/**
 * From input to an email that lacks nothing: parsed, rendered, with its id, tenant, route and number of attempts.
 * Asks no database; refuses with the field named, in a batch after the place of the email in it. Answers with a promise
 * only where the content needs a closer look, which takes turns with other work.
 */
export interface CompletionOptions {
  clock: Clock;
  /** The company of emails that name none. */
  defaultTenant: string;
  /** Whether emails that name no sender have one. */
  hasSender: boolean;
  /** Of all files of one email; 10 MB where nothing is said. */
  maxAttachmentBytes?: number;
  /** Where the store is; an email that names another region is refused. */
  region: string | null;
  retryPreset: string;
  /** The way out an email takes first. */
  chooseRoute(email: { tenant: string; type: string | null }): string;
  /** The only recipient domains there are, or null for all. */
  allowedDomains: readonly string[] | null;
  /** Cap on attempts, or null for what the preset says. */
  maxAttempts: number | null;
  /** What a declared type says whoever writes the content; null for a name that nobody declared. */
  kindOf(type: string): DeclaredKind | null;
  /** A link by which one person refuses one kind; null where there is no address for it. */
  unsubscribeUrl: UnsubscribeUrl | null;
}

/** The preference by which people refuse an email, and whether it is beyond refusing. */
export interface Kind {
  category: string;
  essential: boolean;
}

export interface DeclaredKind extends Kind {
  /** Holds a code or a link that lets someone in. */
  sensitive?: boolean;
}

export type UnsubscribeUrl = (email: {
  id: string;
  tenant: string;
  address: string;
  category: string;
  lang: string | null;
}) => string;

export function completeEmail(
  options: CompletionOptions,
  { input, requestId, traceparent, place = '', typed, headerRecipients }: Incoming,
): NewEmail | Promise<NewEmail> {
  let judgement = null as Promise<ContentProblem | null> | null;
  const email = namingPlace(place, () => {
    const now = options.clock.now();
    const id = newId(now);
    const rendering: RenderTyped | undefined =
      typed && ((request) => typed({ ...request, ...linked(request) }));
    const linked = ({ type, companyId, soleAddress, lang }: Parameters<RenderTyped>[0]) => {
      const kind = options.kindOf(type);
      const tenant = companyId ?? options.defaultTenant;
      const unsubscribeUrl = linkTo(options, { id, tenant, lang, address: soleAddress, kind });
      return unsubscribeUrl === null ? {} : { unsubscribeUrl };
    };
    const { maxAttachmentBytes } = options;
    const later = (judging: Promise<ContentProblem | null>) => {
      judgement = judging;
    };
    const draft = parseEmailDraft(input, now, {
      typed: rendering,
      headerRecipients,
      maxAttachmentBytes,
      later,
    });
    return complete(options, draft, { id, requestId, traceparent });
  });
  return judgement === null ? email : onceJudged(email, judgement, place);
}

async function onceJudged(
  email: NewEmail,
  judgement: Promise<ContentProblem | null>,
  place: string,
): Promise<NewEmail> {
  const problem = await judgement;
  if (problem === null) return email;
  return namingPlace(place, () => {
    throw contentRefusal(problem);
  });
}

/** One after the other, and with turns for other work where it is much. */
export async function completeEmails(
  options: CompletionOptions,
  incoming: Iterable<Incoming>,
): Promise<NewEmail[]> {
  const emails: NewEmail[] = [];
  const turns = new Turns();
  for (const one of incoming) {
    const made = completeEmail(options, one);
    const email = made instanceof Promise ? await made : made;
    emails.push(email);
    const turn = turns.after(email.html.length + email.text.length);
    if (turn !== undefined) await turn;
  }
  return emails;
}

/** Runs `work` and puts the place in the batch before the field of what it refuses. */
export function namingPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (place === '' || !isPostriderError(error)) throw error;
    throw new PostriderError(error.code, error.message, {
      field: error.field ? `${place}.${error.field}` : place,
    });
  }
}

export interface Incoming {
  input: unknown;
  requestId: string | undefined;
  traceparent?: string | undefined;
  /** Where in a batch, as `[3]`. */
  place?: string;
  typed?: RenderTyped | undefined;
  headerRecipients?: HeaderRecipients | null | undefined;
}

function complete(
  options: CompletionOptions,
  draft: EmailDraft,
  {
    id,
    requestId,
    traceparent,
  }: { id: string; requestId: string | undefined; traceparent: string | undefined },
): NewEmail {
  const { companyId, region } = draft;
  if (region !== null && region !== options.region)
    throw unknownRegion(region, options.region === null ? [] : [options.region]);
  if (!draft.from && !options.hasSender) {
    throw new PostriderError(
      'INVALID_PAYLOAD',
      'from is needed: no default sender is set (SMTP_FROM_EMAIL).',
      { field: 'from' },
    );
  }
  refuseOutsiders(draft, options.allowedDomains);
  const tenant = companyId ?? options.defaultTenant;
  const retry = draft.retry ?? options.retryPreset;
  const preset = findRetryPreset(retry) ?? RETRY_PRESETS.gateway;
  const kind = kindOf(options, draft);
  const link = linkTo(options, { id, tenant, lang: draft.lang, address: soleAddressOf(draft), kind });
  // Written out: copying thirty fields and adding to them took an eighth of all accepting.
  return {
    id,
    tenant,
    type: draft.type,
    lang: draft.lang,
    userId: draft.userId,
    recipientId: draft.recipientId,
    recipientExternalId: draft.recipientExternalId,
    from: draft.from,
    replyTo: draft.replyTo,
    to: draft.to,
    cc: draft.cc,
    bcc: draft.bcc,
    headerRecipients: draft.headerRecipients,
    headers: link === null ? draft.headers : withUnsubscribe(draft.headers, link),
    category: kind?.category ?? null,
    essential: kind?.essential ?? false,
    subject: draft.subject,
    html: draft.html,
    text: draft.text,
    attachments: draft.attachments,
    priority: draft.priority ?? 3,
    scheduledAt: draft.scheduledAt,
    expiresAt: draft.expiresAt,
    metadata: draft.metadata,
    requestId: requestId ?? id,
    traceparent: traceparent ?? null,
    delivery: draft.delivery ?? 'at-least-once',
    retry,
    maxAttempts: Math.min(preset.attempts, options.maxAttempts ?? preset.attempts),
    sensitive: draft.sensitive || isSensitive(options, draft),
    route: options.chooseRoute({ tenant, type: draft.type }),
    suppressed: null,
  };
}

/** What the caller says comes first; sign-in and security are so by name. */
function kindOf(options: CompletionOptions, { category, type }: EmailDraft): Kind | null {
  if (category !== null) return { category, essential: ESSENTIAL_CATEGORIES.includes(category) };
  return type === null ? null : options.kindOf(type);
}

/** A code is a code whoever wrote the words around it. */
function isSensitive(options: CompletionOptions, { type }: EmailDraft): boolean {
  return type !== null && options.kindOf(type)?.sensitive === true;
}

function linkTo(
  { unsubscribeUrl }: CompletionOptions,
  { kind, address, ...email }: LinkParts,
): string | null {
  if (unsubscribeUrl === null || address === null || kind === null || kind.essential) return null;
  return unsubscribeUrl({ ...email, address, category: kind.category });
}

interface LinkParts {
  id: string;
  tenant: string;
  lang: string | null;
  address: string | null;
  kind: Kind | null;
}

/** RFC 8058: one click, no cookie. A list the caller names itself is the caller's to leave. */
export function withUnsubscribe(headers: Record<string, string>, link: string): Record<string, string> {
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'list-unsubscribe')) return headers;
  return {
    ...headers,
    'List-Unsubscribe': `<${link}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  };
}

function refuseOutsiders({ to, cc, bcc }: EmailDraft, allowedDomains: readonly string[] | null): void {
  if (allowedDomains === null) return;
  for (const [field, mailboxes] of Object.entries({ to, cc, bcc })) {
    const addresses = mailboxes.map((mailbox) => mailbox.address);
    if (findNotAllowed(addresses, allowedDomains) === null) continue;
    throw new PostriderError(
      'RECIPIENT_NOT_ALLOWED',
      'Only the domains in POSTRIDER_ALLOWED_RECIPIENT_DOMAINS are written to here.',
      { field },
    );
  }
}
