import type { Clock } from '../../kernel/index.js';
import { createDkimSigner } from '../mime/dkim-signer.js';
import { POOL_TIMEOUT, STOPPING, unsent } from '../our-side.js';
import type { AttemptContext, ConnectionReport, Outcome, Provider } from '../provider.js';
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
  const signer = createDkimSigner(settings.dkim);
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
    const failure = await openSession(connection, settings, clock.now());
    if (failure) return failure;
    pool.opened(connection);
    return deliver(connection, message, how);
  }

  function deliver(
    connection: SmtpConnection,
    message: PreparedMessage,
    { attempt, watch }: How,
  ): Promise<Outcome> | Outcome {
    const { envelope, wire, messageId } = message;
    const takeNext = () => pool.promise(connection);
    return (
      unfitFor(connection, message) ??
      deliverMessage(connection, {
        envelope,
        wire,
        messageId,
        attempt,
        watch,
        replyTimeoutMs,
        clock,
        takeNext,
      })
    );
  }

  return {
    name: 'smtp',

    async send(email, attempt) {
      if (attempt.signal.aborted) return unsent(STOPPING, 'the process is stopping');
      const prepared = prepareMessage(email, signer);
      const message = prepared instanceof Promise ? await prepared : prepared;
      if ('kind' in message) return message;
      const acquired = pool.acquire(message);
      const held = new Held(acquired);
      const watch = watchAttempt(held, attempt, { clock });
      try {
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
          outcome = await attemptOn(connection, message, { attempt, watch });
          if (!diedInThePool(connection, attempt)) return outcome;
          connection = pool.replace(connection);
          held.by = connection;
          outcome = await attemptOn(connection, message, { attempt, watch });
          return outcome;
        } finally {
          pool.release(connection, outcome);
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
}

/** Whatever an attempt waits on at the moment: one watch for all of it. */
class Held implements Losable {
  constructor(public by: Losable) {}

  lose(code: string, message: string): void {
    this.by.lose(code, message);
  }
}

/** A server may close an idle connection at any time; that is no failure of the next email. */
function diedInThePool(connection: SmtpConnection, attempt: AttemptContext): boolean {
  const { lost, reused, answered } = connection;
  return reused && !answered && lost !== undefined && lost.code !== 'ETIMEDOUT' && !attempt.signal.aborted;
}
