import { isPostriderError, killPoint, PostriderError } from '../kernel/index.js';
import { type NewEmail, prepareEmails } from '../outbox/index.js';
import {
  findFirstAnswer,
  fingerprint,
  judgeEmails,
  type Pace,
  type Refusal,
  type Rules,
  type RulesReader,
  refusalError,
  rememberAnswer,
} from '../policy/index.js';
import type { SuppressionReader } from '../recipients/index.js';
import { callerTransaction, type Database, type Queryable } from '../store/index.js';
import { acceptEach, type EachAnswer } from './accept-each.js';
import { acceptInChunks, CHUNKED_FROM } from './accept-in-chunks.js';
import { type BatchOptions, checkAcceptOptions, type TranslatedOptions } from './accept-options.js';
import { acceptPermissively, type PermissiveAnswer } from './accept-permissively.js';
import { type Accepted, answerOf } from './accepted.js';
import { type CompletionOptions, completeEmail, completeEmails } from './complete-email.js';
import { MAX_BATCH, parseHeaderRecipients } from './email-fields.js';
import { extraMsFor } from './extra-ms-for.js';
import { markSuppressed } from './mark-suppressed.js';
import { oneTenant } from './one-tenant.js';
import { withRecipientLanguages } from './recipient-language.js';
import { type Content, needsTemplate, type RenderTyped, renderTyped } from './render-typed.js';

/**
 * The one way in: validate → render → policy → write, in the caller's transaction or one of its own. What it
 * returns is durable once that transaction commits; what it refuses has left no trace.
 */
export interface Intake {
  accept(input: unknown, options?: TranslatedOptions): Promise<Accepted>;
  /** All or none, in one statement. */
  acceptBatch(inputs: readonly unknown[], options?: TranslatedOptions): Promise<Accepted[]>;
  /** Each for itself, in a transaction on our own store. */
  acceptEach(
    inputs: readonly unknown[],
    options: { tx: Queryable; requestId: string } & Pace,
  ): Promise<EachAnswer[]>;
  /** Those that can be accepted, in one transaction; an input that is an error already stays refused. */
  acceptPermissively(
    inputs: readonly unknown[],
    options: Omit<TranslatedOptions, 'tx'>,
  ): Promise<PermissiveAnswer[]>;
}

export interface IntakeOptions extends CompletionOptions {
  database: Database;
  /** What makes content of types and data. */
  content: Content;
  /** Who may send from where. */
  senders: { judge(tx: Queryable, emails: readonly NewEmail[]): Promise<Refusal | null> };
  /** The limits and quotas that hold now. */
  rules: RulesReader;
  /** Who must not be written to. */
  suppressions: SuppressionReader;
  /** An email of ours was committed: no need to wait for the bell. */
  onAccepted(): void;
}

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

  const inTheirLanguage = (inputs: readonly unknown[], tx: Queryable | null) =>
    withRecipientLanguages(tx ?? database.prompt(), inputs, options.defaultTenant);

  function prepareWrite(tx: Queryable, emails: readonly NewEmail[]): () => Promise<void> {
    const write = prepareEmails(tx, emails);
    return async () => {
      killPoint('intake:before-write');
      await write();
      killPoint('intake:written');
    };
  }

  /** A refusal throws after everything it had counted is undone. */
  async function judge(
    tx: Queryable,
    rules: Rules,
    { emails, inBatch, oneMessage = false, place = 0 }: Arrival,
  ) {
    const refuse = (refusal: Refusal) => refusalError({ ...refusal, index: refusal.index + place }, inBatch);
    const foreign = await options.senders.judge(tx, emails);
    if (foreign) throw refuse(foreign);
    await markSuppressed(tx, options.suppressions, emails);
    const verdict = await judgeEmails(tx, rules, emails, { oneMessage });
    if (!verdict.accept) throw refuse(verdict);
    return verdict.rateLimits;
  }

  async function admit(tx: Queryable, rules: Rules, arrival: Arrival): Promise<Accepted[]> {
    const limits = await judge(tx, rules, arrival);
    await prepareWrite(tx, arrival.emails)();
    return arrival.emails.map((email, index) => answerOf(email, clock.now(), limits?.[index]));
  }

  /** For many at once on a server, which works while we do. */
  const admitInChunks = (
    tx: Queryable,
    rules: Rules,
    spoken: readonly unknown[],
    { make, oneMessage }: { make: MakeArrival; oneMessage: boolean },
  ) =>
    acceptInChunks(spoken.length, {
      complete: async (from, to) => (await make(spoken.slice(from, to), from)).emails,
      counts: (emails) => rules.count(emails),
      judge: (emails, place) => judge(tx, rules, { emails: [...emails], inBatch: true, oneMessage, place }),
      prepareWrite: (emails) => prepareWrite(tx, emails),
      ahead: tx.pipelines ? 2 : 1,
      now: () => clock.now(),
    });

  /** The key comes before the emails: what was accepted once has its answer, whatever has changed since. */
  async function admitOnce(
    tx: Queryable,
    rules: Rules,
    { key, input, tenant, make }: Keyed,
  ): Promise<Accepted[]> {
    const body = fingerprint(input);
    if (body === null) {
      await make(); // says which field it is
      throw new PostriderError('INVALID_PAYLOAD', 'The email cannot be written as JSON.');
    }
    const idempotency = { tenant, key, fingerprint: body };
    const first = await findFirstAnswer<Accepted | Accepted[]>(tx, idempotency);
    if (first) return [first].flat();
    const arrival = await make();
    const answers = await admit(tx, rules, arrival);
    const [head] = answers;
    if (head) await rememberAnswer(tx, idempotency, head.emailId, arrival.inBatch ? answers : head);
    killPoint('intake:remembered');
    return answers;
  }

  /** In the caller's transaction; else in one of ours where it takes more than one statement. */
  async function accept(
    input: unknown,
    { tx, idempotencyKey: key, keyedInput, headerRecipients, oneMessage }: TranslatedOptions,
    { inputs, makeWith }: { inputs: readonly unknown[]; makeWith: (typed?: RenderTyped) => MakeArrival },
  ): Promise<Accepted[]> {
    const callers = tx === undefined ? null : callerTransaction(tx);
    const typed = await templatesFor(inputs, callers);
    const spoken = typed ? await inTheirLanguage(inputs, callers) : inputs;
    const make = makeWith(typed);
    const rules = await options.rules.current(callers ?? undefined);
    if (key !== undefined) {
      const keyed = {
        key,
        input: keyedInput ?? (headerRecipients === undefined ? input : { headerRecipients, emails: input }),
        tenant: oneTenant(inputs, input === inputs, options.defaultTenant),
        make: () => make(spoken),
      };
      if (callers) return admitOnce(callers, rules, keyed);
      const answers = await database
        .prompt(extraMsFor(inputs))
        .transaction((own) => admitOnce(own, rules, keyed));
      options.onAccepted();
      return answers;
    }
    if (!callers && database.kind === 'postgres' && inputs.length >= CHUNKED_FROM) {
      const own = database.prompt(extraMsFor(inputs));
      const how = { make, oneMessage: isOneMessage({ headerRecipients, oneMessage }) };
      const answers = await own.transaction((transaction) => admitInChunks(transaction, rules, spoken, how));
      options.onAccepted();
      return answers;
    }
    const arrival = await make(spoken);
    if (callers) return admit(callers, rules, arrival);
    const own = database.prompt(extraMsFor(arrival.emails));
    const answers = rules.count(arrival.emails)
      ? await own.transaction((transaction) => admit(transaction, rules, arrival))
      : await admit(own, rules, arrival);
    options.onAccepted();
    return answers;
  }

  async function acceptSingly(
    inputs: readonly unknown[],
    {
      tx,
      requestId,
      traceparent,
      keepSuppressed,
      ...pace
    }: {
      tx: Queryable;
      requestId?: string | undefined;
      traceparent?: string | undefined;
      keepSuppressed: boolean;
    } & Pace,
  ): Promise<EachAnswer[]> {
    const typed = await templatesFor(inputs, tx);
    const rules = await options.rules.current(tx);
    return acceptEach(typed ? await inTheirLanguage(inputs, tx) : inputs, {
      keepSuppressed,
      complete: (input) => completeEmail(options, { input, requestId, traceparent, typed }),
      async judge(emails) {
        const foreign = await options.senders.judge(tx, emails);
        if (foreign) return foreign;
        const verdict = await judgeEmails(tx, rules, emails, pace);
        return verdict.accept ? null : verdict;
      },
      markSuppressed: (emails) => markSuppressed(tx, options.suppressions, emails),
      write: (emails) => prepareWrite(tx, emails)(),
    });
  }

  return {
    async accept(input, accepting = {}) {
      const { requestId, traceparent } = accepting;
      checkAcceptOptions(accepting);
      const makeWith = (typed?: RenderTyped): MakeArrival => {
        return async ([spoken]) => ({
          emails: [await completeEmail(options, { input: spoken, requestId, traceparent, typed })],
          inBatch: false,
        });
      };
      return (await accept(input, accepting, { inputs: [input], makeWith }))[0]!;
    },
    async acceptBatch(inputs, accepting = {}) {
      const { requestId, traceparent } = accepting;
      checkAcceptOptions(accepting);
      if (inputs.length > MAX_BATCH) {
        throw new PostriderError('INVALID_PAYLOAD', `A batch holds at most ${MAX_BATCH} emails.`, {
          field: 'emails',
        });
      }
      const headerRecipients = parseHeaderRecipients(accepting.headerRecipients);
      const makeWith = (typed?: RenderTyped): MakeArrival => {
        return async (spoken, from = 0) => ({
          emails: await completeEmails(
            options,
            spoken.map((input, index) => ({
              ...{ input, requestId, traceparent, typed, headerRecipients },
              place: `[${from + index}]`,
            })),
          ),
          inBatch: true,
          oneMessage: isOneMessage(accepting),
        });
      };
      return accept(inputs, accepting, { inputs, makeWith });
    },
    acceptEach: (inputs, each) => acceptSingly(inputs, { ...each, keepSuppressed: false }),
    async acceptPermissively(inputs, { requestId, idempotencyKey, traceparent, keyedInput = inputs }) {
      checkAcceptOptions({ requestId, idempotencyKey, traceparent });
      const answers = await database.prompt(extraMsFor(inputs)).transaction((tx) =>
        acceptPermissively(tx, {
          key: idempotencyKey === undefined ? null : { key: idempotencyKey, input: keyedInput },
          tenant: oneTenant(
            inputs.filter((input) => !isPostriderError(input)),
            true,
            options.defaultTenant,
          ),
          accept: () => acceptSingly(inputs, { tx, requestId, traceparent, keepSuppressed: true }),
        }),
      );
      options.onAccepted();
      return answers;
    },
  };
}

interface Arrival {
  emails: NewEmail[];
  inBatch: boolean;
  /** The emails are one message to several people. */
  oneMessage?: boolean;
  /** Of the first of these in the batch. */
  place?: number;
}

function isOneMessage({ headerRecipients, oneMessage }: BatchOptions): boolean {
  if (oneMessage !== undefined && typeof oneMessage !== 'boolean')
    throw new PostriderError('INVALID_PAYLOAD', 'oneMessage must be true or false.', { field: 'oneMessage' });
  return oneMessage === true || (headerRecipients ?? null) !== null;
}

type MakeArrival = (inputs: readonly unknown[], from?: number) => Promise<Arrival>;

interface Keyed {
  key: string;
  input: unknown;
  tenant: string;
  make(): Promise<Arrival>;
}
