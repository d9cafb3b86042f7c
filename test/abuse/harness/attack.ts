import type { Engine } from './brokers.js';
import type { Answer } from './http-client.js';
import type { Target } from './target.js';

/** One hostile input: where it goes in, in which field, what of the dictionary, how large, and how it is sent. */
export interface Attack {
  /** `POST /v1/email/send`, `SMTP DATA`, … */
  wayIn: string;
  field: string;
  /** The name of the entry of the dictionary. */
  entry: string;
  /** What the attacker sends, all requests together; memory is held against it. */
  bytes: number;
  /** Sends it, and returns once it is answered: with a word on the answer, as `413` or `250`. */
  run(target: Target): Promise<Outcome>;
  /** Which broker the way in belongs to; else none. */
  engine?: Engine;
  /** Where one input is many at once; else those of a single input. */
  budget?: Partial<Budget>;
  /** How long it may take altogether, of an attack that works by being slow; else a minute. */
  deadlineMs?: number;
}

export interface Outcome {
  /** The statuses that came back. */
  status: string;
  /** What came back altogether. */
  answerBytes: number;
  /** What was sent altogether, where that is more than the attack says: quotes are escaped. */
  sentBytes?: number;
  /** Something else that is wrong: a 500, another tenant's email that was late. */
  wrong?: string;
}

export interface Budget {
  stallMs: number;
  memoryBytes: number;
}

const MB = 1024 ** 2;

/** Processor time of the main thread without a turn for anybody else, and resident memory above the rest. */
export const STALL_MS = 100;

export function budgetOf({ bytes, budget }: Attack, sentBytes = 0): Budget {
  return { stallMs: STALL_MS, memoryBytes: 4 * Math.max(bytes, sentBytes) + 16 * MB, ...budget };
}

/** An answer of HTTP; of those that say that the server failed only "not now" is one. */
export function outcomeOf({ status, error, bytes, sentBytes, text }: Answer): Outcome {
  return {
    status: status === 0 ? (error ?? 'closed') : String(status),
    ...{ answerBytes: bytes, sentBytes },
    ...(status === 500 && { wrong: `500 ${text.slice(0, 200)}` }),
  };
}

export function labelOf({ wayIn, field, entry }: Attack): string {
  return [wayIn, field, entry].join(' ');
}
