import type { Outcome } from '../provider.js';
import { authenticate } from './authenticate.js';
import type { SmtpReply } from './reply-reader.js';
import { isLost, type SmtpConnection } from './smtp-connection.js';
import type { SmtpSettings } from './smtp-options.js';
import { outcomeOfLoss, outcomeOfReply, traceOf } from './smtp-outcome.js';

/**
 * From the greeting to a connection that may send: EHLO, TLS, AUTH. Returns nothing when it is
 * ready, else the outcome. Refuses to go on in plaintext where TLS is required, and never falls
 * back to plaintext after STARTTLS was offered.
 */
export async function openSession(
  connection: SmtpConnection,
  settings: SmtpSettings,
  nowMs: number,
): Promise<Outcome | undefined> {
  const greeting = await connection.read();
  if (isLost(greeting)) return outcomeOfLoss(greeting, connection);
  if (greeting.code !== 220) return outcomeOfReply(greeting, connection, nowMs);
  const failure =
    (await introduce(connection, settings, nowMs)) ??
    (await encrypt(connection, settings, nowMs)) ??
    (await authenticate(connection, settings, nowMs));
  if (failure) return failure;
  connection.ready = true;
  return undefined;
}

async function introduce(
  connection: SmtpConnection,
  settings: SmtpSettings,
  nowMs: number,
): Promise<Outcome | undefined> {
  connection.stage = 'ehlo';
  connection.command(`EHLO ${settings.clientName}`);
  const reply = await connection.read();
  if (isLost(reply)) return outcomeOfLoss(reply, connection);
  if (reply.code === 250) {
    connection.extensions = extensionsIn(reply);
    return undefined;
  }
  if (reply.code < 500 || settings.requireTls) return outcomeOfReply(reply, connection, nowMs);
  connection.command(`HELO ${settings.clientName}`);
  const second = await connection.read();
  if (isLost(second)) return outcomeOfLoss(second, connection);
  return second.code === 250 ? undefined : outcomeOfReply(second, connection, nowMs);
}

async function encrypt(
  connection: SmtpConnection,
  settings: SmtpSettings,
  nowMs: number,
): Promise<Outcome | undefined> {
  if (connection.encrypted) return undefined;
  if (!connection.extensions.has('STARTTLS')) {
    return settings.requireTls
      ? refusal(connection, 'TLS_REQUIRED', 'TLS is required and the server does not offer STARTTLS')
      : undefined;
  }
  connection.stage = 'starttls';
  connection.command('STARTTLS');
  const reply = await connection.read();
  if (isLost(reply)) return outcomeOfLoss(reply, connection);
  if (reply.code !== 220) return outcomeOfReply(reply, connection, nowMs);
  // Bytes that came before TLS would be read as if they had come under its protection.
  if (connection.hasUnread) {
    return refusal(connection, 'STARTTLS_INJECTION', 'plaintext followed the answer to STARTTLS');
  }
  await connection.startTls();
  if (connection.lost) return outcomeOfLoss(connection.lost, connection);
  return introduce(connection, settings, nowMs);
}

function refusal(connection: SmtpConnection, code: string, message: string): Outcome {
  return {
    kind: 'misconfigured',
    scope: 'route',
    code,
    category: 'CONFIGURATION_ERROR',
    message,
    trace: traceOf(connection),
  };
}

function extensionsIn(reply: SmtpReply): Map<string, string> {
  const extensions = new Map<string, string>();
  for (const line of reply.lines.slice(1)) {
    // Some old servers write AUTH=LOGIN.
    const [, keyword, parameters] = /^([A-Za-z0-9-]+)(?:[ =](.*))?$/.exec(line.trim()) ?? [];
    if (keyword) extensions.set(keyword.toUpperCase(), parameters?.trim() ?? '');
  }
  return extensions;
}
