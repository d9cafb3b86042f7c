import type { Outcome } from '../provider.js';
import { authenticateWithToken } from './authenticate-with-token.js';
import { isLost, type SmtpConnection } from './smtp-connection.js';
import type { SmtpCredentials, SmtpSettings } from './smtp-options.js';
import { authUnsupported, outcomeOfLoss, outcomeOfReply } from './smtp-outcome.js';

/**
 * AUTH PLAIN, or LOGIN where the server knows only that; XOAUTH2 where a token is given instead of a
 * password. Returns nothing when it worked or there are no credentials. Secrets never reach the conversation; the session is encrypted by now.
 */
export async function authenticate(
  connection: SmtpConnection,
  settings: SmtpSettings,
  nowMs: number,
): Promise<Outcome | undefined> {
  if (!settings.credentials) return undefined;
  connection.stage = 'auth';
  if ('accessToken' in settings.credentials)
    return authenticateWithToken(connection, settings.credentials, nowMs);
  const offered = (connection.extensions.get('AUTH') ?? '').toUpperCase().split(/\s+/);
  const mechanism = MECHANISMS.find(({ name }) => offered.includes(name));
  if (!mechanism)
    return authUnsupported(
      connection,
      MECHANISMS.map(({ name }) => name),
    );
  const [first, ...answers] = mechanism.lines(settings.credentials);
  connection.command(first!.line, first!.shown);
  let reply = await connection.read();
  for (const answer of answers) {
    if (isLost(reply) || reply.code !== 334) break;
    connection.command(answer.line, answer.shown);
    reply = await connection.read();
  }
  if (isLost(reply)) return outcomeOfLoss(reply, connection);
  return reply.code === 235 ? undefined : outcomeOfReply(reply, connection, nowMs);
}

interface Mechanism {
  name: string;
  /** What is said, in order, and what the conversation shows of it. */
  lines(credentials: Credentials): { line: string; shown: string }[];
}

type Credentials = Extract<SmtpCredentials, { password: string }>;

const MASK = '****';

const MECHANISMS: Mechanism[] = [
  {
    name: 'PLAIN',
    lines: ({ username, password }) => [
      { line: `AUTH PLAIN ${base64(`\0${username}\0${password}`)}`, shown: `AUTH PLAIN ${MASK}` },
    ],
  },
  {
    name: 'LOGIN',
    lines: ({ username, password }) => [
      { line: 'AUTH LOGIN', shown: 'AUTH LOGIN' },
      { line: base64(username), shown: MASK },
      { line: base64(password), shown: MASK },
    ],
  },
];

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
