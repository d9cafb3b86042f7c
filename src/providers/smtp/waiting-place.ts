import { type AttemptContext, beginAttempt } from '../provider.js';
import type { Losable } from '../watch-attempt.js';
import type { PreparedMessage } from './prepare-message.js';
import type { Lost, SmtpConnection } from './smtp-connection.js';

/** A place in the line for a connection: ends once, with a connection or with why there is none. */
export class WaitingPlace implements Losable {
  /** Somebody has been served or has given up. */
  over = false;
  /** Was waiting for a promised connection when last looked at. */
  late = false;
  /** It was asked to be marked as begun. */
  asked = false;
  private begun = false;
  readonly result: Promise<SmtpConnection | Lost>;
  private end: (result: SmtpConnection | Lost) => void = () => {};

  constructor(
    readonly message: PreparedMessage,
    readonly attempt: AttemptContext,
  ) {
    this.result = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  give(connection: SmtpConnection): void {
    this.over = true;
    this.end(connection);
  }

  /** Whether it is marked as begun, or nobody marks anything. */
  get maySendAhead(): boolean {
    return this.begun || !this.attempt.begin;
  }

  /** Its turn comes in milliseconds: what is written for many at once costs less. */
  beginEarly(): void {
    if (this.asked || !this.attempt.mayBeginEarly) return;
    this.asked = true;
    const begun = beginAttempt(this.attempt);
    if (begun instanceof Promise) {
      begun.then((answer) => {
        this.begun = answer;
      });
    } else this.begun = begun;
  }

  lose(code: string, message: string): void {
    if (this.over) return;
    this.over = true;
    this.end({ lost: true, code, message });
  }
}
