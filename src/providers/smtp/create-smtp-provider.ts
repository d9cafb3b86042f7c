import { type Clock, isPostriderError } from '../../kernel/index.js';
import { composeMessage } from '../mime/compose-message.js';
import { createDkimSigner, type DkimSigner } from '../mime/dkim-signer.js';
import { STOPPING, unsent } from '../our-side.js';
import type { AttemptContext, ConnectionReport, Outcome, OutgoingEmail, Provider } from '../provider.js';
import { watchAttempt } from '../watch-attempt.js';
import { ConnectionPool } from './connection-pool.js';
import { type Delivery, deliverMessage } from './deliver-message.js';
import { encodeForWire } from './encode-for-wire.js';
import { openSession } from './open-session.js';
import { SmtpConnection } from './smtp-connection.js';
import { smtpEnvelope } from './smtp-envelope.js';
import { resolveSmtpOptions, type SmtpOptions } from './smtp-options.js';

/**
 * Delivery to one SMTP server over pooled connections. Every outcome is a value that says how far
 * the attempt came; only a defect of our own is thrown.
 */
export function createSmtpProvider(options: SmtpOptions, { clock }: { clock: Clock }): Provider {
  const settings = resolveSmtpOptions(options);
  const signer = createDkimSigner(settings.dkim);
  const pool = new ConnectionPool(settings, clock);

  async function attemptOn(connection: SmtpConnection, message: PreparedMessage, attempt: AttemptContext) {
    const watch = watchAttempt(connection, attempt, { clock });
    try {
      connection.begin();
      if (!connection.ready) {
        const failure = await openSession(connection, settings, clock.now());
        if (failure) return failure;
      }
      const unfit = unfitFor(connection, message);
      if (unfit) return unfit;
      const { replyTimeoutMs } = settings;
      return await deliverMessage(connection, { ...message, attempt, watch, replyTimeoutMs, clock });
    } finally {
      watch.end();
    }
  }

  return {
    name: 'smtp',

    async send(email, attempt) {
      if (attempt.signal.aborted) return unsent(STOPPING, 'the process is stopping');
      const message = await prepare(email, signer);
      if ('kind' in message) return message;
      const acquired = await pool.acquire(attempt);
      if (!(acquired instanceof SmtpConnection)) return unsent(acquired.code, acquired.message);
      let connection = acquired;
      let outcome: Outcome | undefined;
      try {
        outcome = await attemptOn(connection, message, attempt);
        if (!diedInThePool(connection, attempt)) return outcome;
        connection = pool.replace(connection);
        outcome = await attemptOn(connection, message, attempt);
        return outcome;
      } finally {
        pool.release(connection, outcome);
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

type PreparedMessage = Pick<Delivery, 'envelope' | 'wire' | 'messageId'>;

async function prepare(email: OutgoingEmail, signer: DkimSigner): Promise<PreparedMessage | Outcome> {
  const envelope = smtpEnvelope(email);
  if ('invalid' in envelope) return invalid('INVALID_EMAIL', 'an address cannot be written in SMTP');
  try {
    const message = await signer.sign(await composeMessage(email), email.from.address);
    const wire = encodeForWire(message);
    return { envelope, wire, messageId: email.messageId };
  } catch (error) {
    if (isPostriderError(error)) return invalid(error.code, error.message);
    throw error;
  }
}

/** What this server cannot take, known before a byte of it is sent. */
function unfitFor(connection: SmtpConnection, { envelope, wire }: PreparedMessage): Outcome | undefined {
  const limit = Number(connection.extensions.get('SIZE') ?? 0);
  if (limit > 0 && wire.bytes.length > limit) {
    return rejected('MESSAGE_TOO_LARGE', `${wire.bytes.length} bytes, the server takes ${limit}`, 'message');
  }
  if (envelope.utf8 && !connection.extensions.has('SMTPUTF8')) {
    const scope = envelope.recipients.length === 1 ? 'recipient' : 'message';
    return rejected('SMTPUTF8_UNSUPPORTED', 'an address needs SMTPUTF8, which the server lacks', scope);
  }
  return undefined;
}

/** A server may close an idle connection at any time; that is no failure of the next email. */
function diedInThePool(connection: SmtpConnection, attempt: AttemptContext): boolean {
  const { lost, reused, answered } = connection;
  return reused && !answered && lost !== undefined && lost.code !== 'ETIMEDOUT' && !attempt.signal.aborted;
}

function rejected(code: string, message: string, scope: 'recipient' | 'message'): Outcome {
  return { kind: 'rejected', scope, code, category: 'PERMANENT_ERROR', message, trace: { stage: 'mail' } };
}

function invalid(code: string, message: string): Outcome {
  const trace = { stage: 'connect' };
  return { kind: 'rejected', scope: 'message', code, category: 'VALIDATION_ERROR', message, trace };
}
