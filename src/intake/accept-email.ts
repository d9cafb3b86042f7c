import { type Clock, isPostriderError, killPoint, newId, PostriderError } from '../kernel/index.js';
import { type NewEmail, writeEmails } from '../outbox/index.js';
import {
  findFirstAnswer,
  findMissingRecipients,
  findNotAllowed,
  findRetryPreset,
  fingerprint,
  RETRY_PRESETS,
  rememberAnswer,
} from '../policy/index.js';
import { callerTransaction, type Database, type Queryable } from '../store/index.js';
import { checkAcceptOptions } from './accept-options.js';
import { type EmailDraft, parseEmailDraft, readCompanyId } from './email-draft.js';
import { extraMsFor } from './extra-ms-for.js';
import { type Content, needsTemplate, type RenderTyped, renderTyped } from './render-typed.js';

/**
 * The one way in: validate → policy → render → write, in the caller's transaction or one of its own. What it
 * returns is durable once that transaction commits; what it refuses has left no trace.
 */
export interface Accepted {
  queued: true;
  emailId: string;
  requestId: string;
  status: 'pending' | 'scheduled';
}

export interface AcceptOptions {
  /** The caller's open transaction; without it the email is committed at once. */
  tx?: unknown;
  requestId?: string;
  idempotencyKey?: string;
}

export interface Intake {
  accept(input: unknown, options?: AcceptOptions): Promise<Accepted>;
  /** All or none, in one statement. */
  acceptBatch(
    inputs: readonly unknown[],
    options?: Omit<AcceptOptions, 'idempotencyKey'>,
  ): Promise<Accepted[]>;
}

export interface IntakeOptions {
  database: Database;
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
  /** What makes content of types and data. */
  content: Content;
  /** An email of ours was committed: no need to wait for the bell. */
  onAccepted(): void;
}

const MAX_BATCH = 1000;

export function createIntake(options: IntakeOptions): Intake {
  const { database, clock } = options;

  /** Only emails that need a template cost a look at the overrides. */
  async function templatesFor(
    inputs: readonly unknown[],
    tx: Queryable | null,
  ): Promise<RenderTyped | undefined> {
    if (!inputs.some(needsTemplate)) return undefined;
    const overrides = await options.content.overrides?.current(tx ?? undefined);
    return renderTyped(options.content, overrides ?? null, options.defaultTenant);
  }

  function prepare(
    input: unknown,
    requestId: string | undefined,
    field: string,
    typed?: RenderTyped,
  ): NewEmail {
    try {
      return complete(parseEmailDraft(input, clock.now(), typed), requestId);
    } catch (error) {
      if (field === '' || !isPostriderError(error)) throw error;
      throw new PostriderError(error.code, error.message, {
        field: error.field ? `${field}.${error.field}` : field,
      });
    }
  }

  function complete(draft: EmailDraft, requestId: string | undefined): NewEmail {
    const { companyId, ...content } = draft;
    if (!draft.from && !options.hasSender) {
      throw new PostriderError(
        'INVALID_PAYLOAD',
        'from is needed: no default sender is set (SMTP_FROM_EMAIL).',
        {
          field: 'from',
        },
      );
    }
    refuseOutsiders(draft);
    const id = newId(clock.now());
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

  function refuseOutsiders({ to, cc, bcc }: EmailDraft): void {
    for (const [field, mailboxes] of Object.entries({ to, cc, bcc })) {
      const addresses = mailboxes.map((mailbox) => mailbox.address);
      if (findNotAllowed(addresses, options.allowedDomains) === null) continue;
      throw new PostriderError(
        'RECIPIENT_NOT_ALLOWED',
        'Only the domains in POSTRIDER_ALLOWED_RECIPIENT_DOMAINS are written to here.',
        { field },
      );
    }
  }

  async function refuseMissingRecipients(tx: Queryable, emails: readonly NewEmail[]): Promise<void> {
    const refs = emails.flatMap((email, index) =>
      email.recipientId
        ? [{ recipientId: email.recipientId, tenant: email.tenant, email: email.to[0]?.address ?? '', index }]
        : [],
    );
    if (refs.length === 0) return;
    const missing = (await findMissingRecipients(tx, refs))[0];
    if (!missing) return;
    const field = 'recipient.recipientId';
    throw new PostriderError(
      'RECIPIENT_NOT_FOUND',
      'The recipient does not exist in this company with this address.',
      {
        field: emails.length > 1 ? `[${missing.index}].${field}` : field,
      },
    );
  }

  async function write(tx: Queryable, emails: readonly NewEmail[]): Promise<void> {
    await refuseMissingRecipients(tx, emails);
    killPoint('intake:before-write');
    await writeEmails(tx, emails);
    killPoint('intake:written');
  }

  /** The key comes before the email: what was accepted once has its answer, whatever has changed since. */
  async function acceptOnce(
    tx: Queryable,
    { input, key, make }: { input: unknown; key: string; make(): NewEmail },
  ): Promise<Accepted> {
    const tenant = readCompanyId(input) ?? options.defaultTenant;
    const body = fingerprint(input);
    if (body === null) {
      make(); // says which field it is
      throw new PostriderError('INVALID_PAYLOAD', 'The email cannot be written as JSON.');
    }
    const idempotency = { tenant, key, fingerprint: body };
    const first = await findFirstAnswer<Accepted>(tx, idempotency);
    if (first) return first;
    const email = make();
    await write(tx, [email]);
    const answer = answerOf(email, clock.now());
    await rememberAnswer(tx, idempotency, email.id, answer);
    return answer;
  }

  return {
    async accept(input, { tx, requestId, idempotencyKey: key } = {}) {
      checkAcceptOptions({ requestId, idempotencyKey: key });
      const callers = tx === undefined ? null : callerTransaction(tx);
      const typed = await templatesFor([input], callers);
      const make = () => prepare(input, requestId, '', typed);
      if (key !== undefined) {
        if (callers) return acceptOnce(callers, { input, key, make });
        const answer = await database
          .prompt(extraMsFor([input]))
          .transaction((own) => acceptOnce(own, { input, key, make }));
        options.onAccepted();
        return answer;
      }
      const email = make();
      await write(callers ?? database.prompt(extraMsFor([email])), [email]);
      if (!callers) options.onAccepted();
      return answerOf(email, clock.now());
    },
    async acceptBatch(inputs, { tx, requestId } = {}) {
      checkAcceptOptions({ requestId });
      if (inputs.length > MAX_BATCH) {
        throw new PostriderError('INVALID_PAYLOAD', `A batch holds at most ${MAX_BATCH} emails.`, {
          field: 'emails',
        });
      }
      const callers = tx === undefined ? null : callerTransaction(tx);
      const typed = await templatesFor(inputs, callers);
      const emails = inputs.map((input, index) => prepare(input, requestId, `[${index}]`, typed));
      await write(callers ?? database.prompt(extraMsFor(emails)), emails);
      if (!callers) options.onAccepted();
      return emails.map((email) => answerOf(email, clock.now()));
    },
  };
}

function answerOf(email: NewEmail, now: number): Accepted {
  const waits = email.scheduledAt !== null && email.scheduledAt.getTime() > now;
  return {
    queued: true,
    emailId: email.id,
    requestId: email.requestId,
    status: waits ? 'scheduled' : 'pending',
  };
}
