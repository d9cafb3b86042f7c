import { type Clock, killPoint } from '../../kernel/index.js';
import { LEASE_LOST } from '../our-side.js';
import type { AttemptContext, Outcome, RecipientFailure, Sent } from '../provider.js';
import type { AttemptWatch } from '../watch-attempt.js';
import { classifySmtpReply } from './classify-smtp-reply.js';
import type { WireMessage } from './encode-for-wire.js';
import { parseQueueId } from './parse-queue-id.js';
import { envelopeCommands, type PreparedMessage } from './prepare-message.js';
import type { SmtpReply } from './reply-reader.js';
import { isLost, type SmtpConnection } from './smtp-connection.js';
import { outcomeOfLoss, outcomeOfReply, outcomeUnknown, replyText, traceOf } from './smtp-outcome.js';

/**
 * One mail transaction on a ready connection. Before the final dot every failure means "certainly
 * not delivered"; after it, silence means "unknown". The dot is written only in the same tick in
 * which `mayDeliver` said yes and the deadline had not passed.
 */
export async function deliverMessage(connection: SmtpConnection, delivery: Delivery): Promise<Outcome> {
  const opened = await openTransaction(connection, delivery);
  if ('kind' in opened) return opened;
  connection.stage = 'body';
  const large = delivery.wire.size > ONE_WRITE_BYTES;
  if (large) await writeAhead(connection, delivery.wire.content);
  if (connection.hasUnread) return answeredEarly(connection, delivery);
  const refusal = writeDot(connection, delivery, large ? NOTHING : delivery.wire);
  if (refusal) return refusal;
  const askedAt = delivery.clock.monotonic();
  const reply = await connection.read();
  if (isLost(reply)) return outcomeUnknown(reply, connection);
  connection.replyMs = delivery.clock.monotonic() - askedAt;
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

export interface Delivery extends PreparedMessage {
  attempt: AttemptContext;
  watch: AttemptWatch;
  replyTimeoutMs: number;
  clock: Clock;
  /** The email that gets this connection next and whose envelope may leave with this one's final dot. */
  takeNext(): PreparedMessage | undefined;
}

interface OpenTransaction {
  refused: RecipientFailure[];
  remaining: RecipientFailure[];
}

/** Why a connection was lost that should not have been asked ahead. */
export const REFUSED_AHEAD = 'REFUSED_AHEAD';

const FINAL_DOT = '.\r\n';
const EMPTY = Buffer.alloc(0);
const NOTHING: WireMessage = { content: EMPTY, size: 0, room: null, eightBit: false };
/** Up to here body and dot leave in one write; beyond, the body is written first, in pieces. */
const ONE_WRITE_BYTES = 64 * 1024;

async function openTransaction(
  connection: SmtpConnection,
  delivery: Delivery,
): Promise<OpenTransaction | Outcome> {
  const now = () => delivery.clock.now();
  const commands = envelopeCommands(connection, delivery);
  const rcpts = delivery.envelope.recipients;
  const pipelined = connection.extensions.has('PIPELINING');
  const ahead = connection.sentAhead;
  const reset = connection.needsReset && !ahead;
  if (ahead) connection.said(commands);
  else if (pipelined) {
    const encoding = delivery.envelope.utf8 ? 'utf8' : 'latin1';
    connection.commands(reset ? ['RSET', ...commands] : commands, encoding);
  }
  const ask = (line: string) => {
    if (!pipelined) connection.command(line);
    return connection.read();
  };
  // What has arrived is not waited for: of four answers that come together three would be a turn each.
  connection.stage = 'mail';
  connection.needsReset = true;
  connection.sentAhead = false;

  if (reset) {
    const reply = await ask('RSET');
    if (!isLost(reply) && reply.code !== 250) connection.lose('EPROTOCOL', `${reply.code} to RSET`);
    if (connection.lost) return outcomeOfLoss(connection.lost, connection);
  }
  const mail = ask(commands[0]!);
  const mailReply = mail instanceof Promise ? await mail : mail;
  if (isLost(mailReply)) return outcomeOfLoss(mailReply, connection);
  if (connection.reused && mailReply.code === 421) {
    // Its idle time ran out while we wrote, or it has served enough: as good as closed, and no word about this email.
    connection.lose('SMTP_421', replyText(mailReply));
    return outcomeOfReply(mailReply, connection, now());
  }
  if (ahead && !isPositive(mailReply)) {
    // It may dislike the order and not the sender: asked again on a connection of its own.
    connection.lose(REFUSED_AHEAD, `an envelope sent ahead was refused: ${replyText(mailReply)}`);
    return outcomeOfLoss(connection.lost!, connection);
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
  for (let index = 0; index < rcpts.length; index++) {
    const rcpt = ask(commands[index + 1]!);
    const reply = rcpt instanceof Promise ? await rcpt : rcpt;
    if (isLost(reply)) return outcomeOfLoss(reply, connection);
    if (isPositive(reply)) continue;
    const { address } = rcpts[index]!;
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
  const data = ask('DATA');
  const dataReply = data instanceof Promise ? await data : data;
  if (isLost(dataReply)) return outcomeOfLoss(dataReply, connection);
  if (dataReply.code === 354) return opened;
  return outcomeOfReply(dataReply, connection, now());
}

async function writeAhead(connection: SmtpConnection, content: Buffer): Promise<void> {
  for (let at = 0; at < content.length && !connection.hasUnread; at += ONE_WRITE_BYTES) {
    await connection.flush(content.subarray(at, at + ONE_WRITE_BYTES));
  }
}

async function answeredEarly(connection: SmtpConnection, { clock }: Delivery): Promise<Outcome> {
  const reply = await connection.read();
  connection.lose('EPROTOCOL', 'the server answered before the message was complete');
  return isLost(reply) || reply.code < 400
    ? outcomeOfLoss(connection.lost!, connection)
    : outcomeOfReply(reply, connection, clock.now());
}

/** What is left of the message and its end, or why it must not be sent. */
function writeDot(connection: SmtpConnection, delivery: Delivery, left: WireMessage): Outcome | undefined {
  const { attempt, clock, wire } = delivery;
  killPoint('smtp:before-dot');
  // A busy process may run late timers; the deadline is a promise, so it is read again here.
  if (clock.now() > attempt.sendDeadlineAt) {
    connection.lose('ETIMEDOUT', 'not sent within the time of the attempt');
  }
  if (!connection.lost && !attempt.mayDeliver()) {
    connection.lose(LEASE_LOST, 'the claim may have been taken over');
  }
  if (connection.lost) return outcomeOfLoss(connection.lost, connection);
  const next = delivery.takeNext();
  // RFC 2920 lets a group of commands begin with the end of a message: one write where there were two.
  const tail = next ? `${FINAL_DOT}${envelopeCommands(connection, next).join('\r\n')}\r\n` : FINAL_DOT;
  const encoding = next?.envelope.utf8 ? 'utf8' : 'latin1';
  connection.writeTogether(left, tail, encoding);
  killPoint('smtp:after-dot');
  connection.stage = 'dot';
  connection.conversation.client(`<message of ${wire.size} bytes>`);
  delivery.watch.dotSent(delivery.replyTimeoutMs);
  return undefined;
}

function sent(
  connection: SmtpConnection,
  reply: SmtpReply,
  { refused, remaining }: OpenTransaction,
  delivery: Delivery,
): Sent {
  const trace = traceOf(connection, reply);
  const providerMessageId = parseQueueId(trace.response ?? '') ?? delivery.messageId;
  if (refused.length + remaining.length === 0) return { kind: 'sent', providerMessageId, trace };
  return {
    kind: 'sent',
    providerMessageId,
    trace,
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

function isPositive(reply: SmtpReply): boolean {
  return reply.code >= 200 && reply.code < 300;
}
