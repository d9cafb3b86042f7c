import { isSameAddress } from './kernel/index.js';
import type { ErrorCategory, Outcome, OutgoingEmail, Provider } from './providers/index.js';

/** The provider of tests: keeps what it is given and says sent, unless it was told what to answer for an address. */
export interface RecordingProvider extends Provider {
  /** What was sent, by the email's id; the last attempt of each. */
  readonly taken: ReadonlyMap<string, OutgoingEmail>;
  /** What the next attempts for this address answer, one each; after them it says sent again. */
  answer(address: string, ...answers: Answer[]): void;
  forget(): void;
}

/** `reject` is a mailbox that does not exist, `defer` a server that asks to come again. */
export type Answer = 'reject' | 'defer' | Outcome;

export function createRecordingProvider(): RecordingProvider {
  const taken = new Map<string, OutgoingEmail>();
  let scripts: Array<{ address: string; outcomes: Outcome[] }> = [];
  return {
    name: 'testing',
    taken,
    answer: (address, ...answers) => scripts.push({ address, outcomes: answers.map(outcomeOf) }),
    forget() {
      taken.clear();
      scripts = [];
    },
    async send(email) {
      const script = scripts.find(
        ({ address, outcomes }) =>
          outcomes.length > 0 && email.recipients.some((one) => isSameAddress(one, address)),
      );
      const outcome = script?.outcomes.shift() ?? sentAs(email);
      if (outcome.kind === 'sent') taken.set(email.id, email);
      return outcome;
    },
    testConnection: async () => ({ ok: true, message: 'tests need no connection' }),
    close: async () => {},
  };
}

function sentAs(email: OutgoingEmail): Outcome {
  return { kind: 'sent', providerMessageId: email.messageId, trace: { stage: 'reply' } };
}

function outcomeOf(answer: Answer): Outcome {
  if (answer === 'reject')
    return failure('rejected', 'SMTP_550', 'PERMANENT_ERROR', '550 5.1.1 No such mailbox');
  if (answer === 'defer') return failure('deferred', 'SMTP_451', 'TRANSIENT_ERROR', '451 4.3.0 Come again');
  return answer;
}

function failure(
  kind: 'rejected' | 'deferred',
  code: string,
  category: ErrorCategory,
  message: string,
): Outcome {
  return { kind, scope: 'recipient', code, category, message, trace: { stage: 'rcpt', response: message } };
}
