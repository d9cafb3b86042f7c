import { messageOf } from '../../kernel/index.js';
import type { Outcome } from '../provider.js';
import { oneLine } from './conversation.js';
import type { SmtpReply } from './reply-reader.js';
import { isLost, type Lost, type SmtpConnection } from './smtp-connection.js';
import type { SmtpCredentials } from './smtp-options.js';
import { authUnsupported, outcomeOfLoss, outcomeOfReply, traceOf } from './smtp-outcome.js';

/**
 * AUTH XOAUTH2 with a token from the caller's source. A refused token is replaced once by a fresh one;
 * a source that fails or hangs costs an attempt in its time, never the route. The token is masked.
 */
export async function authenticateWithToken(
  connection: SmtpConnection,
  credentials: Extract<SmtpCredentials, { accessToken: unknown }>,
  nowMs: number,
): Promise<Outcome | undefined> {
  const offered = (connection.extensions.get('AUTH') ?? '').toUpperCase().split(/\s+/);
  if (!offered.includes('XOAUTH2')) return authUnsupported(connection, ['XOAUTH2']);
  let refused: { token: string; reply: SmtpReply } | undefined;
  for (;;) {
    const token = await fetchToken(connection, () => credentials.accessToken({ refused: !!refused }));
    if (typeof token !== 'string') return token;
    // The same again would be refused again.
    if (refused && refused.token === token) return outcomeOfReply(refused.reply, connection, nowMs);
    const reply = await present(connection, credentials.username, token);
    if (isLost(reply)) return outcomeOfLoss(reply, connection);
    if (reply.code === 235) return undefined;
    if (refused || reply.code < 500) return outcomeOfReply(reply, connection, nowMs);
    refused = { token, reply };
  }
}

async function present(
  connection: SmtpConnection,
  username: string,
  token: string,
): Promise<SmtpReply | Lost> {
  const answer = Buffer.from(`user=${username}\x01auth=Bearer ${token}\x01\x01`, 'utf8').toString('base64');
  connection.command(`AUTH XOAUTH2 ${answer}`, 'AUTH XOAUTH2 ****');
  const reply = await connection.read();
  if (isLost(reply) || reply.code !== 334) return reply;
  // The reason comes as a challenge; an empty answer brings the refusal itself.
  connection.command('');
  return connection.read();
}

/** The token, or the outcome when there is none or the connection was lost over waiting for it. */
async function fetchToken(
  connection: SmtpConnection,
  source: () => string | Promise<string>,
): Promise<string | Outcome> {
  const lost = new Promise<Lost>((resolve) => {
    connection.onLost = () => resolve(connection.lost!);
    if (connection.lost) resolve(connection.lost);
  });
  try {
    const token = await Promise.race([Promise.resolve().then(source), lost]);
    if (typeof token !== 'string') return outcomeOfLoss(token, connection);
    if (!/^[\x21-\x7e]+$/.test(token)) throw new Error('the access token is empty or holds a space');
    return token;
  } catch (error) {
    return {
      kind: 'deferred',
      scope: 'account',
      code: 'ACCESS_TOKEN_FAILED',
      category: 'TRANSIENT_ERROR',
      message: oneLine(messageOf(error), 500),
      trace: traceOf(connection),
    };
  } finally {
    connection.onLost = undefined;
  }
}
