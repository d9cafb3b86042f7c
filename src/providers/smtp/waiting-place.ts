import type { Losable } from '../watch-attempt.js';
import type { PreparedMessage } from './prepare-message.js';
import type { Lost, SmtpConnection } from './smtp-connection.js';

/** A place in the line for a connection: ends once, with a connection or with why there is none. */
export class WaitingPlace implements Losable {
  /** Somebody has been served or has given up. */
  over = false;
  /** Was waiting for a promised connection when last looked at. */
  late = false;
  readonly result: Promise<SmtpConnection | Lost>;
  private end: (result: SmtpConnection | Lost) => void = () => {};

  constructor(readonly message: PreparedMessage) {
    this.result = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  give(connection: SmtpConnection): void {
    this.over = true;
    this.end(connection);
  }

  lose(code: string, message: string): void {
    if (this.over) return;
    this.over = true;
    this.end({ lost: true, code, message });
  }
}
