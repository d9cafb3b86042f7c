import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { type Access, confineEmail, type KeyCaller } from '../../access/index.js';
import {
  type Clock,
  isEmailAddress,
  isLoopbackHost,
  isPostriderError,
  killPoint,
  type Logger,
  messageOf,
  newId,
  PostriderError,
  type StopOptions,
} from '../../kernel/index.js';
import { readDataWhole } from '../../mime/index.js';
import type { HeaderRecipients } from '../../outbox/index.js';
import { type Connection, changeExtensions } from './change-extensions.js';
import { createKeyLimits } from './key-limits.js';
import { limitUnauthenticated } from './limit-unauthenticated.js';
import { listen } from './listen.js';
import { type AboutMessage, messageIdIn } from './message-id-in.js';
import { readSubmission, type Submission } from './read-submission.js';
import { createReceiver } from './receive-message.js';
import { createSessions, type DoorSession } from './sessions.js';
import { refusal, smtpReply } from './smtp-reply.js';
import { certificateFiles, readCertificate, watchCertificate } from './tls-certificate.js';

/**
 * Submission for any language: sign in with an API key as the password, send. A 250 means that the emails are
 * committed; whatever happens before it, the client still has the message. The key's tenant decides whose they are.
 * Without TLS no key is taken beyond loopback.
 */
export interface SmtpDoorOptions {
  /** Accepts all or none, committed when it returns. */
  accept(
    emails: object[],
    options: { requestId: string; idempotencyKey?: string; headerRecipients: HeaderRecipients | null },
  ): Promise<Receipt[]>;
  keys: Pick<Access['keys'], 'find'>;
  settings: SubmissionSettings;
  clock: Clock;
  logger: Logger;
}

export interface Receipt {
  emailId: string;
}

export interface SubmissionSettings {
  port: number;
  host: string;
  name: string | null;
  certificateFile: string | null;
  keyFile: string | null;
  allowPlain: boolean;
  maxMessageBytes: number;
  maxRecipients: number;
  maxConnections: number;
  /** Null: a fifth of all. */
  maxUnauthenticatedPerAddress: number | null;
  maxConnectionsPerKey: number;
  messagesPerMinute: number;
}

export interface SmtpDoor {
  port: number;
  stop(options?: StopOptions): Promise<void>;
}

export async function startSmtpDoor(options: SmtpDoorOptions): Promise<SmtpDoor> {
  const { settings, keys, clock, logger } = options;
  const files = certificateFiles(settings);
  const certificate = files && (await readCertificate(files));
  const plain = settings.allowPlain || isLoopbackHost(settings.host);
  if (!certificate && !plain) throw needsCertificate();
  const limits = createKeyLimits({
    clock,
    maxConnections: settings.maxConnectionsPerKey,
    messagesPerMinute: settings.messagesPerMinute,
  });
  const receiver = createReceiver(settings.maxMessageBytes);
  const sessions = createSessions({ clock, limits });

  async function signIn(token: string, session: SMTPServerSession): Promise<string> {
    const caller = await keys.find(token);
    if (!caller && sessions.guessed(session.id)) throw refusal(421, '4.7.0 Too many wrong keys');
    if (!caller) throw refusal(535, '5.7.8 The password must be an API key, as re_...');
    if (!sessions.signedIn(session.id, { token, caller }))
      throw refusal(421, '4.7.0 This key has too many connections');
    unauthenticated.signedIn(session.id);
    return caller.keyId;
  }

  /** A key that was revoked since is none. */
  async function callerOf({ token }: DoorSession): Promise<KeyCaller> {
    const caller = await keys.find(token);
    if (!caller) throw refusal(535, '5.7.8 This key is no longer valid');
    return caller;
  }

  function beginMessage({ caller }: DoorSession): void {
    if (sessions.stopping()) throw refusal(421, '4.3.2 Shutting down');
    const seconds = limits.waitBeforeMessage(caller.keyId);
    if (seconds > 0) throw refusal(450, `4.7.1 Too many messages of this key; try again in ${seconds} s`);
  }

  async function take(
    stream: Parameters<typeof receiver.receive>[0],
    session: SMTPServerSession,
    about: AboutMessage,
  ): Promise<string> {
    const startedAt = clock.monotonic();
    const { rcptTo, mailFrom } = session.envelope;
    const signedIn = sessions.get(session.id);
    const received = await receiver.receive(stream, {
      key: signedIn.caller.keyId,
      declaredBytes: sizeIn(mailFrom),
    });
    try {
      const caller = await callerOf(signedIn);
      const raw = received.takeRaw();
      about.messageId = messageIdIn(raw);
      const submission = await readSubmission(raw, {
        digest: received.digest,
        to: rcptTo.map(({ address }) => address),
        maxBytes: settings.maxMessageBytes,
      });
      if (submission.from === null) throw refusal(554, '5.6.0 From is missing');
      const emails = submission.emails.map(
        (email) => confineEmail(caller, { ...email, ...noted(submission) }) as object,
      );
      const requestId = newId(clock.now());
      const key = submission.namedKey ?? submission.repeatKey;
      killPoint('submission:before-accept');
      const receipts = await options.accept(emails, {
        requestId,
        ...(key !== null && { idempotencyKey: key }),
        headerRecipients: submission.headerRecipients,
      });
      killPoint('submission:accepted');
      const ids = receipts.map(({ emailId }) => emailId);
      const refused = sessions.refusedRecipients(session.id);
      logger[refused === 0 ? 'info' : 'warn'](
        {
          ...{ requestId, keyId: caller.keyId, companyId: caller.companyId },
          ...{ outboxIds: ids.slice(0, MAX_LOGGED_IDS), emails: ids.length },
          ...{ recipients: rcptTo.length, refusedRecipients: refused },
          ...{ bytes: received.size, durationMs: Math.round(clock.monotonic() - startedAt) },
        },
        'smtp message accepted',
      );
      return acceptedReply(ids, { taken: rcptTo.length, refused });
    } finally {
      received.letGo();
    }
  }

  /** The answer of `work`, or its refusal, which is logged without what the message said but for its id. */
  function answer<T>(work: Promise<T>, what: string, done: Done<T>, about: AboutMessage = {}): void {
    work.then(
      (value) => done(null, value),
      (error: unknown) => {
        const reply = smtpReply(error);
        const { code, field } = isPostriderError(error) ? error : {};
        const fields = { ...about, reply: reply.responseCode, code, field: field?.slice(0, 128) };
        if (reply === error || reply.responseCode >= 500) logger.info(fields, `smtp ${what} refused`);
        else logger.warn({ ...fields, err: messageOf(error) }, `smtp ${what} failed`);
        done(reply);
      },
    );
  }

  const server = new SMTPServer({
    ...FIXED,
    ...(certificate ?? { disabledCommands: ['STARTTLS'] }),
    name: settings.name ?? 'postrider',
    allowInsecureAuth: plain,
    size: settings.maxMessageBytes,
    maxClients: settings.maxConnections,
    onConnect(session, done) {
      sessions.connected(session.id);
      for (const connection of connectionsOf(session.id)) {
        readDataWhole(connection);
        changeExtensions(connection, (extensions) => [
          ...(plain || connection.secure ? extensions : extensions.filter((line) => !/^AUTH /.test(line))),
          `LIMITS RCPTMAX=${settings.maxRecipients}`,
        ]);
      }
      done();
    },
    onClose: (session) => sessions.closed(session.id),
    onAuth(auth, session, done) {
      answer(signIn(auth.password ?? '', session), 'sign-in', (error, user) =>
        error ? done(error) : done(null, { user }),
      );
    },
    onMailFrom(_address, session, done) {
      sessions.messageBegun(session.id);
      answer((async () => beginMessage(sessions.get(session.id)))(), 'message', done);
    },
    onRcptTo({ address }, session, done) {
      const refuse = (code: number, text: string) => {
        sessions.recipientRefused(session.id);
        done(refusal(code, text));
      };
      if (session.envelope.rcptTo.length >= settings.maxRecipients)
        return refuse(452, `4.5.3 At most ${settings.maxRecipients} recipients per message`);
      if (!isEmailAddress(address)) return refuse(553, '5.1.3 That is not an address');
      done();
    },
    onData(stream, session, done) {
      sessions.busy(session.id);
      const about: AboutMessage = {};
      const taken = (error: Error | null, text?: string) => {
        sessions.idle(session.id);
        done(error, text);
      };
      answer(take(stream, session, about), 'message', taken, about);
    },
  });
  const connectionsOf = (id: string): Connection[] =>
    [...(server.connections as Set<Connection>)].filter((connection) => connection.session.id === id);
  const unauthenticated = limitUnauthenticated(server, settings);
  await listen(server, settings);
  server.on('error', (error) => logger.debug({ err: messageOf(error) }, 'smtp connection failed'));
  const stopWatching =
    files && certificate
      ? watchCertificate(files, certificate, {
          onChange: (renewed) => server.updateSecureContext({ ...renewed }),
          logger,
        })
      : () => {};
  const stopExpiring = sessions.expire((id, text) => {
    for (const connection of connectionsOf(id)) connection.send(421, text);
  });

  let stopped: Promise<void> | undefined;
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: ({ deadlineMs = 10_000 } = {}) => {
      stopped ??= new Promise((resolve) => {
        stopWatching();
        stopExpiring();
        server.options.closeTimeout = Math.max(1, deadlineMs);
        server.close(() => resolve());
        sessions.stop();
        for (const connection of [...server.connections])
          if (!sessions.isBusy(connection.session.id)) connection.send(421, '4.3.2 Shutting down');
      });
      return stopped;
    },
  };
}

/** Programs that look at no reply to RCPT may show this one. */
function acceptedReply(
  ids: readonly string[],
  { taken, refused }: { taken: number; refused: number },
): string {
  const more = ids.length > 1 ? ` and ${ids.length - 1} more` : '';
  const without = refused > 0 ? ` (${refused} of ${taken + refused} recipients were refused)` : '';
  return `2.0.0 Accepted as ${ids[0]}${more}${without}`;
}

const MAX_LOGGED_IDS = 50;

type Done<T> = (error: Error | null, value?: T) => void;

const FIXED: SMTPServerOptions = {
  banner: 'Postrider',
  heloResponse: '%s',
  authMethods: ['PLAIN', 'LOGIN'],
  disableReverseLookup: true,
  maxAllowedUnauthenticatedCommands: 10,
  socketTimeout: 60_000,
  // Our replies carry their own status codes.
  hideENHANCEDSTATUSCODES: true,
  logger: false,
};

/** Found in the log by the client's own Message-ID; under a key of the client's a repeat may have another. */
function noted({ messageId, namedKey }: Submission): object {
  return messageId === null || namedKey !== null ? {} : { metadata: { messageId } };
}

/** What the client said with SIZE that the message would be. */
function sizeIn(from: SMTPServerSession['envelope']['mailFrom']): number {
  const { SIZE: size } = (from && (from.args as { SIZE?: unknown } | false)) || {};
  return typeof size === 'string' && /^\d{1,10}$/.test(size) ? Number(size) : 0;
}

function needsCertificate(): PostriderError {
  return new PostriderError(
    'INVALID_CONFIG',
    'The role smtp listens beyond loopback, where keys need TLS: set POSTRIDER_SUBMISSION_CERT and POSTRIDER_SUBMISSION_KEY.',
    { field: 'POSTRIDER_SUBMISSION_CERT' },
  );
}
