import { type Clock, isPostriderError, newId, PostriderError } from '../kernel/index.js';
import type { NewEmail } from '../outbox/index.js';
import { findNotAllowed, findRetryPreset, RETRY_PRESETS } from '../policy/index.js';
import { type EmailDraft, parseEmailDraft } from './email-draft.js';
import type { RenderTyped } from './render-typed.js';

/**
 * From input to an email that lacks nothing: parsed, rendered, with its id, tenant, route and number of attempts.
 * Asks no database; refuses with the field named, in a batch after the place of the email in it.
 */
export interface CompletionOptions {
  clock: Clock;
  /** The company of emails that name none. */
  defaultTenant: string;
  /** Whether emails that name no sender have one. */
  hasSender: boolean;
  retryPreset: string;
  /** The way out an email takes first. */
  chooseRoute(email: { tenant: string; type: string | null }): string;
  /** The only recipient domains there are, or null for all. */
  allowedDomains: readonly string[] | null;
  /** Cap on attempts, or null for what the preset says. */
  maxAttempts: number | null;
}

export function completeEmail(
  options: CompletionOptions,
  { input, requestId, place = '', typed }: Incoming,
): NewEmail {
  return namingPlace(place, () =>
    complete(options, parseEmailDraft(input, options.clock.now(), typed), requestId),
  );
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
  /** Where in a batch, as `[3]`. */
  place?: string;
  typed?: RenderTyped | undefined;
}

function complete(options: CompletionOptions, draft: EmailDraft, requestId: string | undefined): NewEmail {
  const { companyId, ...content } = draft;
  if (!draft.from && !options.hasSender) {
    throw new PostriderError(
      'INVALID_PAYLOAD',
      'from is needed: no default sender is set (SMTP_FROM_EMAIL).',
      { field: 'from' },
    );
  }
  refuseOutsiders(draft, options.allowedDomains);
  const id = newId(options.clock.now());
  const tenant = companyId ?? options.defaultTenant;
  const retry = draft.retry ?? options.retryPreset;
  const preset = findRetryPreset(retry) ?? RETRY_PRESETS.gateway;
  return {
    ...content,
    id,
    tenant,
    requestId: requestId ?? id,
    priority: draft.priority ?? 3,
    delivery: draft.delivery ?? 'at-least-once',
    retry,
    maxAttempts: Math.min(preset.attempts, options.maxAttempts ?? preset.attempts),
    route: options.chooseRoute({ tenant, type: draft.type }),
  };
}

function refuseOutsiders({ to, cc, bcc }: EmailDraft, allowedDomains: readonly string[] | null): void {
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
