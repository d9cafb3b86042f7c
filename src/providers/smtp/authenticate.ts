import type { Outcome } from '../provider.js';
import { isLost, type SmtpConnection } from './smtp-connection.js';
import type { SmtpSettings } from './smtp-options.js';
import { outcomeOfLoss, outcomeOfReply, traceOf } from './smtp-outcome.js';

/**
 * AUTH PLAIN, or LOGIN where the server knows only that. Returns nothing when it worked or there
 * are no credentials. Secrets never reach the conversation; the session is encrypted by now.
 */
export async function authenticate(
  connection: SmtpConnection,
  settings: SmtpSettings,
  nowMs: number,
): Promise<Outcome | undefined> {
  if (!settings.credentials) return undefined;
  connection.stage = 'auth';
  const offered = (connection.extensions.get('AUTH') ?? '').toUpperCase().split(/\s+/);
  const mechanism = MECHANISMS.find(({ name }) => offered.includes(name));
  if (!mechanism) {
    return {
      kind: 'misconfigured',
      scope: 'account',
      code: 'AUTH_UNSUPPORTED',
      category: 'CONFIGURATION_ERROR',
      message: `the server offers none of ${MECHANISMS.map(({ name }) => name).join(', ')}`,
      trace: traceOf(connection),
    };
  }
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

type Credentials = NonNullable<SmtpSettings['credentials']>;

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
