import type { AttemptContext, Outcome, OutgoingEmail, Provider } from '../../../src/index.js';

/**
 * A provider that answers as it was told, per address, and writes down every call. Without a word about
 * an address the email is sent.
 */
export interface ScriptedProvider extends Provider {
  /** Every call in order. */
  readonly calls: Call[];
  /** What the next calls for this address answer, one each; the last one repeats. */
  script(address: string, ...answers: Answer[]): void;
  /** Calls for this email. */
  callsFor(emailId: string): Call[];
}

export type Answer = Outcome | ((email: OutgoingEmail, attempt: AttemptContext) => Promise<Outcome>);

export interface Call {
  /** What was handed over. */
  email: OutgoingEmail;
  id: string;
  messageId: string;
  to: string;
  recipients: string[];
  subject: string;
  at: number;
}

export function scriptedProvider(): ScriptedProvider {
  const scripts = new Map<string, Answer[]>();
  const calls: Call[] = [];
  return {
    name: 'scripted',
    calls,
    script: (address, ...answers) => scripts.set(address, answers),
    callsFor: (emailId) => calls.filter((call) => call.id === emailId),
    async send(email, attempt) {
      const to = email.to[0]?.address ?? '';
      calls.push({
        email,
        id: email.id,
        messageId: email.messageId,
        to,
        recipients: email.recipients,
        subject: email.subject,
        at: performance.now(),
      });
      const answers = scripts.get(to) ?? [];
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer === undefined) return sent(email.id);
      return typeof answer === 'function' ? answer(email, attempt) : answer;
    },
    testConnection: async () => ({ ok: true, message: 'scripted' }),
    close: async () => {},
  };
}

export function sent(id: string): Outcome {
  return { kind: 'sent', providerMessageId: `p-${id}`, trace: { stage: 'reply', response: '250 ok' } };
}

export const deferred = {
  kind: 'deferred',
  scope: 'recipient',
  code: 'SMTP_451',
  category: 'TRANSIENT_ERROR',
  message: 'try again later',
  trace: { stage: 'rcpt', responseCode: 451, response: '451 try again later' },
} satisfies Outcome;

export const rejected = {
  kind: 'rejected',
  scope: 'recipient',
  code: 'SMTP_550',
  category: 'PERMANENT_ERROR',
  message: 'no such user',
  trace: { stage: 'rcpt', responseCode: 550, response: '550 no such user' },
} satisfies Outcome;

export const answerLost = {
  kind: 'unknown',
  scope: 'message',
  code: 'SMTP_TIMEOUT_AFTER_DATA',
  category: 'TIMEOUT_ERROR',
  message: 'no answer after the final dot',
  trace: { stage: 'dot' },
} satisfies Outcome;

export const wrongPassword = {
  kind: 'misconfigured',
  scope: 'account',
  code: 'SMTP_535',
  category: 'CONFIGURATION_ERROR',
  message: 'authentication failed',
  trace: { stage: 'auth', responseCode: 535 },
} satisfies Outcome;

/** Holds a call until it is let go, so that a test can act in between. */
export function gate(): { answer: Answer; held: Promise<void>; open(): void } {
  let reached: () => void = () => {};
  let open: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    reached = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    held,
    open,
    answer: async (email) => {
      reached();
      await opened;
      return sent(email.id);
    },
  };
}
