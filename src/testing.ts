import { delayUntilIdle } from './delivered.js';
import { type Clock, silentLogger, systemClock } from './kernel/index.js';
import { clearLedger } from './outbox/index.js';
import { clearCounts } from './policy/index.js';
import { createPostrider, type KnownTypes, type Postrider, type PostriderOptions } from './postrider.js';
import type { OutgoingEmail } from './providers/index.js';
import { type Answer, createRecordingProvider } from './recording-provider.js';
import type { EmailType } from './render/index.js';
import {
  type Criteria,
  describeMissing,
  describeUnwanted,
  findMatching,
  type SentEmail,
} from './sent-emails.js';
import { openMemoryPglite } from './store/index.js';
import type { EmailLog } from './views/index.js';

export {
  greet,
  Peer,
  type Script,
  type ScriptedServer,
  scriptedServer,
  takeEnvelope,
  takeMessage,
} from './providers/smtp/scripted-server.js';
export type { Answer } from './recording-provider.js';
export type { Criteria, SentEmail } from './sent-emails.js';

/**
 * Postrider for an application's own tests: the real one, on a database in memory, with a provider that keeps what it
 * gets and a time that moves when told. Nothing leaves the process and nothing is written to disk.
 */
export interface TestPostrider<Types extends EmailType = EmailType> {
  /** What the application is given. */
  readonly postrider: Postrider<Types>;
  /** The newest sent email that matches; else an error that shows what there is instead. Delivers what is due first. */
  expectSent(criteria: Criteria): Promise<SentEmail>;
  /** An error when there is one that matches. */
  expectNotSent(criteria?: Criteria): Promise<void>;
  /** Everything sent that matches, the oldest first. */
  sent(criteria?: Criteria): Promise<SentEmail[]>;
  /** Returns when nothing is left that is due. */
  deliver(): Promise<void>;
  /** Moves time ahead and delivers what becomes due. */
  advance(ms: number): Promise<void>;
  /** The time as Postrider sees it. */
  now(): Date;
  /** What the next attempts for this address come to, instead of sent. */
  answer(address: string, ...answers: Answer[]): void;
  /** Forgets all emails and what was counted for them; time stays where it is. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

/** With `database` it is on that one instead, for tests whose own transactions are there: `clear` empties its ledger. */
export type TestOptions<Own extends readonly EmailType[]> = Omit<
  PostriderOptions<Own>,
  'provider' | 'routes' | 'clock'
>;

export async function createTestPostrider<const Own extends readonly EmailType[] = readonly []>(
  options: TestOptions<Own> = {},
): Promise<TestPostrider<KnownTypes<Own>>> {
  const provider = createRecordingProvider();
  const memory = options.database === undefined ? await openMemoryPglite() : null;
  let movedMs = 0;
  const clock: Clock = { now: () => systemClock.now() + movedMs, monotonic: () => systemClock.monotonic() };
  const postrider = createPostrider({
    from: { address: 'noreply@example.com' },
    logger: silentLogger,
    ...options,
    database: memory ?? options.database!,
    provider,
    clock,
    config: { ...options.config, worker: { pollIntervalMs: 50, ...options.config?.worker } },
  });
  await postrider.ready();

  const all = async (): Promise<EmailLog[]> => {
    const logs: EmailLog[] = [];
    let cursor: string | undefined;
    do {
      const page = await postrider.list({ limit: 100, ...(cursor && { cursor }) });
      logs.push(...page.emails);
      cursor = page.nextCursor ?? undefined;
    } while (cursor);
    return logs.reverse();
  };
  const deliver = async () => {
    await postrider.start();
    await delayUntilIdle(all, () => clock.now());
  };
  const emails = async () => {
    await deliver();
    const logs = await all();
    const sent = logs.flatMap((log) => {
      const email = provider.taken.get(log.id);
      return email && log.status === 'sent' ? [sentEmail(log, email)] : [];
    });
    return { sent, others: logs.filter((log) => log.status !== 'sent') };
  };

  return {
    postrider: postrider as unknown as Postrider<KnownTypes<Own>>,
    async expectSent(criteria) {
      const { sent, others } = await emails();
      const found = findMatching(sent, criteria).at(-1);
      if (!found) throw describeMissing(criteria, sent, others);
      return found;
    },
    async expectNotSent(criteria = {}) {
      const found = findMatching((await emails()).sent, criteria);
      if (found.length > 0) throw describeUnwanted(criteria, found);
    },
    sent: async (criteria = {}) => findMatching((await emails()).sent, criteria),
    deliver,
    async advance(ms) {
      if (!memory) throw new Error('Time moves only on the database in memory.');
      if (!(ms >= 0)) throw new RangeError('Time moves ahead only: advance takes milliseconds.');
      await deliver();
      movedMs += ms;
      await memory.moveTime(movedMs);
      await deliver();
    },
    now: () => new Date(clock.now()),
    answer: provider.answer,
    async clear() {
      await deliver();
      await postrider.transaction(async (tx) => {
        await clearLedger(tx);
        await clearCounts(tx);
      });
      provider.forget();
    },
    async close() {
      await postrider.stop({ deadlineMs: 1000 });
      await memory?.close();
    },
  };
}

function sentEmail(log: EmailLog, email: OutgoingEmail): SentEmail {
  return {
    emailId: log.id,
    type: log.type,
    companyId: log.companyId,
    lang: log.lang,
    from: email.from.address,
    to: email.to.map(({ address }) => address),
    cc: email.cc.map(({ address }) => address),
    bcc: email.bcc.map(({ address }) => address),
    recipients: email.recipients,
    subject: email.subject,
    html: email.html,
    text: email.text,
    headers: email.headers,
    attachments: email.attachments,
    metadata: log.metadata,
    attempts: log.attempts,
  };
}
