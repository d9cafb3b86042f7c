import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';
import { type Access, confineEmail, type KeyCaller } from '../../access/index.js';
import {
  type Clock,
  isEmailAddress,
  killPoint,
  type Logger,
  messageOf,
  newId,
  PostriderError,
  type StopOptions,
} from '../../kernel/index.js';
import { createKeyLimits } from './key-limits.js';
import { readSubmission, type Submission } from './read-submission.js';
import { createReceiver } from './receive-message.js';
import { createSessions, type DoorSession } from './sessions.js';
import { refusal, smtpReply } from './smtp-reply.js';
import { readCertificate, watchCertificate } from './tls-certificate.js';

/**
 * Submission for any language: sign in with an API key as the password, send. A 250 means that the emails are
 * committed; whatever happens before it, the client still has the message. The key's tenant decides whose they are.
 * Without TLS no key is taken beyond loopback.
 */
export interface SmtpDoorOptions {
  /** Accepts all or none, committed when it returns. */
  accept(emails: object[], options: { requestId: string; idempotencyKey?: string }): Promise<Receipt[]>;
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
  maxConnections: number;
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
  const plain = settings.allowPlain || isLoopback(settings.host);
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
  ): Promise<string> {
    const startedAt = clock.monotonic();
    const to = session.envelope.rcptTo.map(({ address }) => address);
    const { raw, letGo } = await receiver.receive(stream);
    try {
      const caller = await callerOf(sessions.get(session.id));
      const submission = await readSubmission(raw, { to });
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
      });
      killPoint('submission:accepted');
      const ids = receipts.map(({ emailId }) => emailId);
      logger.info(
        {
          ...{ requestId, keyId: caller.keyId, companyId: caller.companyId, outboxIds: ids },
          ...{ bytes: raw.length, durationMs: Math.round(clock.monotonic() - startedAt) },
        },
        'smtp message accepted',
      );
      return `2.0.0 Accepted as ${ids[0]}${ids.length > 1 ? ` and ${ids.length - 1} more` : ''}`;
    } finally {
      letGo();
    }
  }

  /** The answer of `work`, or its refusal, which is logged without what the message said. */
  function answer<T>(work: Promise<T>, what: string, done: Done<T>): void {
    work.then(
      (value) => done(null, value),
      (error: unknown) => {
        const reply = smtpReply(error);
        const fields = { reply: reply.responseCode, code: codeOf(error) };
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
      if (!plain) connectionsOf(session.id).forEach(hideAuthBeforeTls);
      done();
    },
    onClose: (session) => sessions.closed(session.id),
    onAuth(auth, session, done) {
      answer(signIn(auth.password ?? '', session), 'sign-in', (error, user) =>
        error ? done(error) : done(null, { user }),
      );
    },
    onMailFrom(_address, session, done) {
      answer((async () => beginMessage(sessions.get(session.id)))(), 'message', done);
    },
    onRcptTo({ address }, session, done) {
      if (session.envelope.rcptTo.length >= MAX_RECIPIENTS)
        return done(refusal(452, `4.5.3 At most ${MAX_RECIPIENTS} recipients per message`));
      if (!isEmailAddress(address)) return done(refusal(553, '5.1.3 That is not an address'));
      done();
    },
    onData(stream, session, done) {
      sessions.busy(session.id);
      answer(take(stream, session), 'message', (error, text) => {
        sessions.idle(session.id);
        done(error, text);
      });
    },
  });
  const connectionsOf = (id: string): Connection[] =>
    [...(server.connections as Set<Connection>)].filter((connection) => connection.session.id === id);
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

type Done<T> = (error: Error | null, value?: T) => void;

interface Connection {
  session: { id: string };
  secure: boolean;
  send(code: number, data: unknown, context?: unknown): void;
}

/** A client that sees no AUTH sends no key; refusing it afterwards would be too late. */
function hideAuthBeforeTls(connection: Connection): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    const lines: unknown[] | null = Array.isArray(data) && !connection.secure ? data : null;
    send(code, lines?.filter((line) => !/^AUTH /.test(String(line))) ?? data, context);
  };
}

const MAX_RECIPIENTS = 50;

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

function codeOf(error: unknown): string | undefined {
  return error instanceof PostriderError ? error.code : undefined;
}

function certificateFiles({ certificateFile, keyFile }: SubmissionSettings) {
  if (certificateFile === null && keyFile === null) return null;
  if (certificateFile !== null && keyFile !== null) return { certificateFile, keyFile };
  throw new PostriderError(
    'INVALID_CONFIG',
    'POSTRIDER_SUBMISSION_CERT and POSTRIDER_SUBMISSION_KEY belong together.',
    { field: certificateFile === null ? 'POSTRIDER_SUBMISSION_CERT' : 'POSTRIDER_SUBMISSION_KEY' },
  );
}

function needsCertificate(): PostriderError {
  return new PostriderError(
    'INVALID_CONFIG',
    'The role smtp listens beyond loopback, where keys need TLS: set POSTRIDER_SUBMISSION_CERT and POSTRIDER_SUBMISSION_KEY.',
    { field: 'POSTRIDER_SUBMISSION_CERT' },
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

function listen(server: SMTPServer, { host, port }: SubmissionSettings): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? 'is already in use'
          : error.code === 'EACCES'
            ? 'needs more rights: ports below 1024 often do'
            : `cannot be opened (${error.code})`;
      const message = `POSTRIDER_SUBMISSION_PORT ${port} on ${host} ${why}.`;
      reject(
        new PostriderError('INVALID_CONFIG', message, { field: 'POSTRIDER_SUBMISSION_PORT', cause: error }),
      );
    };
    server.once('error', refused);
    server.listen(port, host, () => {
      server.off('error', refused);
      resolve();
    });
  });
}
