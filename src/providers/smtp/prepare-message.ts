import { isPostriderError } from '../../kernel/index.js';
import { composeMessage, composeTexts } from '../mime/compose-message.js';
import type { DkimSigner } from '../mime/dkim-signer.js';
import type { Outcome, OutgoingEmail } from '../provider.js';
import { encodeForWire, type WireMessage } from './encode-for-wire.js';
import type { SmtpConnection } from './smtp-connection.js';
import { type SmtpEnvelope, smtpEnvelope } from './smtp-envelope.js';

/**
 * Everything about one email that a connection writes: composed, signed and encoded once, before a
 * connection is taken. What cannot be written is an outcome, not an error.
 */
export interface PreparedMessage {
  envelope: SmtpEnvelope;
  wire: WireMessage;
  /** Named in the outcome when the server gives no id of its own. */
  messageId: string;
}

export function prepareMessage(
  email: OutgoingEmail,
  signer: DkimSigner,
): PreparedMessage | Outcome | Promise<PreparedMessage | Outcome> {
  const envelope = smtpEnvelope(email);
  if ('invalid' in envelope) return invalid('INVALID_EMAIL', 'an address cannot be written in SMTP');
  const finish = (message: Buffer | string[]): PreparedMessage => ({
    envelope,
    wire: encodeForWire(message),
    messageId: email.messageId,
  });
  try {
    const texts = signer.signs(email.from.address) ? null : composeTexts(email);
    if (texts !== null) return finish(texts);
    return Promise.resolve(composeMessage(email))
      .then((message) => signer.sign(message, email.from.address))
      .then(finish)
      .catch(asOutcome);
  } catch (error) {
    return asOutcome(error);
  }
}

/** What this server cannot take, known before a byte of it is sent. */
export function unfitFor(
  connection: SmtpConnection,
  { envelope, wire }: PreparedMessage,
): Outcome | undefined {
  const limit = Number(connection.extensions.get('SIZE') ?? 0);
  if (limit > 0 && wire.size > limit) {
    return rejected('MESSAGE_TOO_LARGE', `${wire.size} bytes, the server takes ${limit}`, 'message');
  }
  if (envelope.utf8 && !connection.extensions.has('SMTPUTF8')) {
    const scope = envelope.recipients.length === 1 ? 'recipient' : 'message';
    return rejected('SMTPUTF8_UNSUPPORTED', 'an address needs SMTPUTF8, which the server lacks', scope);
  }
  return undefined;
}

/** MAIL, RCPT for each recipient, DATA. */
export function envelopeCommands(connection: SmtpConnection, { envelope, wire }: PreparedMessage): string[] {
  const offers = connection.extensions;
  let mail = `MAIL FROM:<${envelope.from}>`;
  if (offers.has('SIZE')) mail += ` SIZE=${wire.size}`;
  if (wire.eightBit && offers.has('8BITMIME')) mail += ' BODY=8BITMIME';
  if (envelope.utf8) mail += ' SMTPUTF8';
  const commands = [mail];
  for (const { path } of envelope.recipients) commands.push(`RCPT TO:<${path}>`);
  commands.push('DATA');
  return commands;
}

function asOutcome(error: unknown): Outcome {
  if (isPostriderError(error)) return invalid(error.code, error.message);
  throw error;
}

function rejected(code: string, message: string, scope: 'recipient' | 'message'): Outcome {
  return { kind: 'rejected', scope, code, category: 'PERMANENT_ERROR', message, trace: { stage: 'mail' } };
}

function invalid(code: string, message: string): Outcome {
  const trace = { stage: 'connect' };
  return { kind: 'rejected', scope: 'message', code, category: 'VALIDATION_ERROR', message, trace };
}
