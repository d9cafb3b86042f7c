import { type Clock, killPoint } from '../../kernel/index.js';
import { LEASE_LOST } from '../our-side.js';
import type { AttemptContext, Outcome, RecipientFailure, Sent } from '../provider.js';
import type { AttemptWatch } from '../watch-attempt.js';
import { classifySmtpReply } from './classify-smtp-reply.js';
import type { WireMessage } from './encode-for-wire.js';
import { parseQueueId } from './parse-queue-id.js';
import type { SmtpReply } from './reply-reader.js';
import { isLost, type SmtpConnection } from './smtp-connection.js';
import type { SmtpEnvelope } from './smtp-envelope.js';
import { outcomeOfLoss, outcomeOfReply, outcomeUnknown, replyText, traceOf } from './smtp-outcome.js';

/**
 * One mail transaction on a ready connection. Before the final dot every failure means "certainly
 * not delivered"; after it, silence means "unknown". The dot is written only in the same tick in
 * which `mayDeliver` said yes and the deadline had not passed.
 */
export async function deliverMessage(connection: SmtpConnection, delivery: Delivery): Promise<Outcome> {
  const opened = await openTransaction(connection, delivery);
  if ('kind' in opened) return opened;
  const early = await writeBody(connection, delivery);
  if (early) return early;
  const reply = await connection.read();
  if (isLost(reply)) return outcomeUnknown(reply, connection);
  killPoint('smtp:reply');
  connection.stage = 'reply';
  connection.needsReset = false;
  if (reply.code >= 200 && reply.code < 300) return sent(connection, reply, opened, delivery);
  if (reply.code < 400) {
    connection.lose('EPROTOCOL', `${reply.code} is no answer to a message`);
    return outcomeUnknown(connection.lost!, connection);
  }
  return outcomeOfReply(reply, connection, delivery.clock.now());
}

export interface Delivery {
  envelope: SmtpEnvelope;
  wire: WireMessage;
  /** Named in the outcome when the server gives no id of its own. */
  messageId: string;
  attempt: AttemptContext;
  watch: AttemptWatch;
  replyTimeoutMs: number;
  clock: Clock;
}

interface OpenTransaction {
  refused: RecipientFailure[];
  remaining: RecipientFailure[];
}

const FINAL_DOT = Buffer.from('.\r\n');
/** Up to here body and dot leave in one write; beyond, the body is written first, in pieces. */
const ONE_WRITE_BYTES = 64 * 1024;

async function openTransaction(
  connection: SmtpConnection,
  delivery: Delivery,
): Promise<OpenTransaction | Outcome> {
  const now = () => delivery.clock.now();
  const mail = mailCommand(connection, delivery);
  const rcpts = delivery.envelope.recipients.map(({ path }) => `RCPT TO:<${path}>`);
  const pipelined = connection.extensions.has('PIPELINING');
  const reset = connection.needsReset;
  if (pipelined) connection.commands([...(reset ? ['RSET'] : []), mail, ...rcpts, 'DATA']);
  const ask = (line: string) => {
    if (!pipelined) connection.command(line);
    return connection.read();
  };
  connection.stage = 'mail';
  connection.needsReset = true;

  if (reset) {
    const reply = await ask('RSET');
    if (!isLost(reply) && reply.code !== 250) connection.lose('EPROTOCOL', `${reply.code} to RSET`);
    if (connection.lost) return outcomeOfLoss(connection.lost, connection);
  }
  const mailReply = await ask(mail);
  if (isLost(mailReply)) return outcomeOfLoss(mailReply, connection);
  if (connection.reused && mailReply.code === 421) {
    // Its idle time ran out while we wrote: as good as closed, and no word about this email.
    connection.lose('SMTP_421', replyText(mailReply));
    return outcomeOfReply(mailReply, connection, now());
  }
  connection.answered = true;
  if (!isPositive(mailReply)) {
    const outcome = outcomeOfReply(mailReply, connection, now());
    if (pipelined) await skipReplies(connection, rcpts.length + 1);
    return outcome;
  }

  connection.stage = 'rcpt';
  const opened: OpenTransaction = { refused: [], remaining: [] };
  let worst: Outcome | undefined;
  for (const [index, { address }] of delivery.envelope.recipients.entries()) {
    const reply = await ask(rcpts[index]!);
    if (isLost(reply)) return outcomeOfLoss(reply, connection);
    if (isPositive(reply)) continue;
    const verdict = classifySmtpReply(reply.code, 'rcpt');
    const failure = { address, code: verdict.code, message: replyText(reply) };
    (verdict.kind === 'rejected' ? opened.refused : opened.remaining).push(failure);
    // Where none is accepted, one that may be tried again speaks for all.
    if (!worst || (worst.kind === 'rejected' && verdict.kind === 'deferred')) {
      worst = outcomeOfReply(reply, connection, now());
    }
  }
  if (worst && opened.refused.length + opened.remaining.length === rcpts.length) {
    if (pipelined) await skipReplies(connection, 1);
    return worst;
  }

  connection.stage = 'data';
  const dataReply = await ask('DATA');
  if (isLost(dataReply)) return outcomeOfLoss(dataReply, connection);
  if (dataReply.code === 354) return opened;
  return outcomeOfReply(dataReply, connection, now());
}

async function writeBody(connection: SmtpConnection, delivery: Delivery): Promise<Outcome | undefined> {
  const { attempt, clock, wire } = delivery;
  connection.stage = 'body';
  const small = wire.bytes.length <= ONE_WRITE_BYTES;
  for (let at = 0; !small && at < wire.bytes.length && !connection.hasUnread; at += ONE_WRITE_BYTES) {
    await connection.flush(wire.bytes.subarray(at, at + ONE_WRITE_BYTES));
  }
  if (connection.hasUnread) {
    const reply = await connection.read();
    connection.lose('EPROTOCOL', 'the server answered before the message was complete');
    return isLost(reply) || reply.code < 400
      ? outcomeOfLoss(connection.lost!, connection)
      : outcomeOfReply(reply, connection, clock.now());
  }
  killPoint('smtp:before-dot');
  // A busy process may run late timers; the deadline is a promise, so it is read again here.
  if (clock.now() > attempt.sendDeadlineAt) {
    connection.lose('ETIMEDOUT', 'not sent within the time of the attempt');
  }
  if (!connection.lost && !attempt.mayDeliver()) {
    connection.lose(LEASE_LOST, 'the claim may have been taken over');
  }
  if (connection.lost) return outcomeOfLoss(connection.lost, connection);
  if (small) connection.writeTogether(wire.bytes, FINAL_DOT);
  else connection.write(FINAL_DOT);
  killPoint('smtp:after-dot');
  connection.stage = 'dot';
  connection.conversation.client(`<message of ${wire.bytes.length} bytes>`);
  delivery.watch.dotSent(delivery.replyTimeoutMs);
  return undefined;
}

function sent(
  connection: SmtpConnection,
  reply: SmtpReply,
  { refused, remaining }: OpenTransaction,
  delivery: Delivery,
): Sent {
  return {
    kind: 'sent',
    providerMessageId: parseQueueId(replyText(reply)) ?? delivery.messageId,
    trace: traceOf(connection, reply),
    ...(refused.length > 0 ? { refused } : {}),
    ...(remaining.length > 0 ? { remaining } : {}),
  };
}

/** Answers to commands that were already on their way when an earlier one was refused. */
async function skipReplies(connection: SmtpConnection, count: number): Promise<void> {
  for (let left = count; left > 0; left--) {
    const reply = await connection.read();
    if (isLost(reply)) return;
    // The server now waits for a message that must not follow.
    if (reply.code === 354) return connection.lose('EPROTOCOL', 'DATA was accepted without a recipient');
  }
}

function mailCommand(connection: SmtpConnection, { envelope, wire }: Delivery): string {
  const offers = connection.extensions;
  let command = `MAIL FROM:<${envelope.from}>`;
  if (offers.has('SIZE')) command += ` SIZE=${wire.bytes.length}`;
  if (wire.eightBit && offers.has('8BITMIME')) command += ' BODY=8BITMIME';
  if (envelope.utf8) command += ' SMTPUTF8';
  return command;
}

function isPositive(reply: SmtpReply): boolean {
  return reply.code >= 200 && reply.code < 300;
}
