import type { Clock } from '../../kernel/index.js';
import { createDkimSigner } from '../mime/dkim-signer.js';
import { notBegun, POOL_TIMEOUT, STOPPING, unsent } from '../our-side.js';
import {
  type AttemptContext,
  beginAttempt,
  type ConnectionReport,
  type Outcome,
  type Provider,
} from '../provider.js';
import { createSesSigner, isSesHost, withoutOwnSignature } from '../ses/sign-for-ses.js';
import { type AttemptWatch, type Losable, watchAttempt } from '../watch-attempt.js';
import { ConnectionPool } from './connection-pool.js';
import { deliverMessage } from './deliver-message.js';
import { openSession } from './open-session.js';
import { type PreparedMessage, prepareMessage, unfitFor } from './prepare-message.js';
import { SmtpConnection } from './smtp-connection.js';
import { resolveSmtpOptions, type SmtpOptions } from './smtp-options.js';

/**
 * Delivery to one SMTP server over pooled connections. Every outcome is a value that says how far
 * the attempt came; only a defect of our own is thrown.
 */
export function createSmtpProvider(options: SmtpOptions, { clock }: { clock: Clock }): Provider {
  const settings = resolveSmtpOptions(options);
  const sesSigner = isSesHost(settings.host) ? createSesSigner(settings.dkim, { clock }) : null;
  const signer = sesSigner ?? createDkimSigner(settings.dkim);
  const pool = new ConnectionPool(settings);
  const { replyTimeoutMs } = settings;

  function attemptOn(
    connection: SmtpConnection,
    message: PreparedMessage,
    how: How,
  ): Promise<Outcome> | Outcome {
    connection.begin();
    return connection.ready ? deliver(connection, message, how) : openAndDeliver(connection, message, how);
  }

  async function openAndDeliver(
    connection: SmtpConnection,
    message: PreparedMessage,
    how: How,
  ): Promise<Outcome> {
    how.attempt.onWaiting?.();
    const failure = await openSession(connection, settings, clock.now());
    if (failure) return failure;
    pool.opened(connection);
    return deliver(connection, message, how);
  }

  function deliver(
    connection: SmtpConnection,
    message: PreparedMessage,
    how: How,
  ): Promise<Outcome> | Outcome {
    const unfit = unfitFor(connection, message);
    if (unfit) return unfit;
    const begun = beginAttempt(how.attempt);
    if (begun === true) return transmit(connection, message, how);
    if (begun === false) return notBegun();
    // A connection lost meanwhile is found lost by the first command.
    return how.held
      .unlessLost(begun)
      .then((goesOn) => (goesOn ? transmit(connection, message, how) : notBegun()));
  }

  function transmit(
    connection: SmtpConnection,
    message: PreparedMessage,
    { attempt, watch }: How,
  ): Promise<Outcome> {
    const { envelope, wire, messageId } = message;
    const takeNext = () => pool.promise(connection);
    return deliverMessage(connection, {
      envelope,
      wire,
      messageId,
      attempt,
      watch,
      replyTimeoutMs,
      clock,
      takeNext,
    });
  }

  function judged(outcome: Outcome, from: string): Outcome {
    return sesSigner === null ? outcome : withoutOwnSignature(outcome, from, sesSigner);
  }

  return {
    name: 'smtp',
    callsBegin: true,

    get connections() {
      return pool.connections;
    },

    get servedAtOnce() {
      return pool.servedAtOnce;
    },

    async send(email, attempt) {
      if (attempt.signal.aborted) return unsent(STOPPING, 'the process is stopping');
      const prepared = prepareMessage(email, signer);
      const message = prepared instanceof Promise ? await prepared : prepared;
      if ('kind' in message) return message;
      const acquired = pool.acquire(message, attempt);
      const held = new Held(acquired);
      const watch = watchAttempt(held, attempt, { clock });
      try {
        if (!(acquired instanceof SmtpConnection)) attempt.onWaiting?.();
        const given = acquired instanceof SmtpConnection ? acquired : await acquired.result;
        if (!(given instanceof SmtpConnection)) {
          return unsent(given.code === 'ETIMEDOUT' ? POOL_TIMEOUT : given.code, given.message);
        }
        let connection = given;
        let outcome: Outcome | undefined;
        try {
          held.by = connection;
          // The stop may have come between the gift and this line, and told only the place in line.
          if (attempt.signal.aborted) held.lose(STOPPING, 'the process is stopping');
          const how = { attempt, watch, held };
          outcome = await attemptOn(connection, message, how);
          if (!diedInThePool(connection, attempt)) return judged(outcome, email.from.address);
          connection = pool.replace(connection);
          held.by = connection;
          outcome = await attemptOn(connection, message, how);
          return judged(outcome, email.from.address);
        } finally {
          pool.release(connection, attempt, outcome);
        }
      } finally {
        watch.end();
      }
    },

    async testConnection(): Promise<ConnectionReport> {
      const connection = new SmtpConnection(settings);
      const attempt = {
        sendDeadlineAt: clock.now() + TEST_TIMEOUT_MS,
        signal: new AbortController().signal,
        mayDeliver: () => false,
      };
      const watch = watchAttempt(connection, attempt, { clock });
      const failure = await openSession(connection, settings, clock.now());
      watch.end();
      await connection.quit();
      const where = `${settings.host}:${settings.port}`;
      if (!failure) return { ok: true, message: `${where} is ready${connection.encrypted ? ' (TLS)' : ''}` };
      const reason = failure.kind === 'sent' ? failure.kind : `${failure.code}: ${failure.message}`;
      return { ok: false, message: `${where} at ${failure.trace.stage}: ${reason}` };
    },

    close: () => pool.close(),
  };
}

const TEST_TIMEOUT_MS = 30_000;

interface How {
  attempt: AttemptContext;
  watch: AttemptWatch;
  held: Held;
}

/** Whatever an attempt waits on at the moment: one watch for all of it. */
class Held implements Losable {
  private over = false;
  private tell: (() => void) | undefined;

  constructor(public by: Losable) {}

  /** The answer, or true when it is told to end before. */
  unlessLost(answer: Promise<boolean>): Promise<boolean> {
    if (this.over) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      this.tell = () => resolve(true);
      answer.then(resolve, reject);
    });
  }

  lose(code: string, message: string): void {
    this.over = true;
    this.by.lose(code, message);
    this.tell?.();
  }
}

/** A server may close an idle connection at any time; that is no failure of the next email. */
function diedInThePool(connection: SmtpConnection, attempt: AttemptContext): boolean {
  const { lost, reused, answered } = connection;
  return reused && !answered && lost !== undefined && lost.code !== 'ETIMEDOUT' && !attempt.signal.aborted;
}
