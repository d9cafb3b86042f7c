/**
 * The inbox's SMTP side: takes every message from anyone who can connect, with any credentials, without
 * TLS, and answers 250 only once it is durable. It delivers nothing onward. What cannot be stored gets a
 * 451, so the sender keeps it; what is over the limit a 552.
 */
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerDataStream, type SMTPServerOptions } from 'smtp-server';
import { type Logger, messageOf, PostriderError, type StopOptions } from '../../kernel/index.js';
import { GrowingBuffer, readDataWhole } from '../../mime/index.js';
import type { Envelope } from './inbox-message.js';

export interface SinkOptions {
  host: string;
  /** 0 takes any free port. */
  port: number;
}

export interface Sink {
  port: number;
  stop(options?: StopOptions): Promise<void>;
}

interface SinkParts extends SinkOptions {
  add(raw: Uint8Array, envelope: Envelope): Promise<unknown>;
  logger: Logger;
}

export async function startSink({ host, port, add, logger }: SinkParts): Promise<Sink> {
  const server = new SMTPServer({
    ...OPEN_TO_ALL,
    onConnect(session, done) {
      for (const connection of server.connections as Set<{ session: { id: string } }>)
        if (connection.session.id === session.id) readDataWhole(connection);
      done();
    },
    onData(stream, session, done) {
      const { mailFrom, rcptTo } = session.envelope;
      const envelope = { from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address) };
      collect(stream)
        .then(async (raw) => {
          if (raw === null) return done(smtpError(552, 'Message is larger than 30 MB'));
          await add(raw, envelope);
          done(null, 'Kept in the development inbox');
        })
        .catch((error: unknown) => {
          logger.error({ error: messageOf(error) }, 'inbox could not store a message');
          done(smtpError(451, 'The development inbox could not store the message'));
        });
    },
  });
  await listen(server, host, port);
  server.on('error', (error) => logger.warn({ error: messageOf(error) }, 'inbox connection failed'));

  let stopped: Promise<void> | undefined;
  return {
    port: (server.server.address() as AddressInfo).port,
    stop: ({ deadlineMs = 5_000 } = {}) => {
      server.options.closeTimeout = Math.max(1, deadlineMs);
      stopped ??= new Promise((resolve) => server.close(() => resolve()));
      return stopped;
    },
  };
}

const MAX_MESSAGE_BYTES = 30 * 1024 * 1024;

const OPEN_TO_ALL: SMTPServerOptions = {
  banner: 'Postrider development inbox',
  size: MAX_MESSAGE_BYTES,
  authOptional: true,
  allowInsecureAuth: true,
  authMethods: ['PLAIN', 'LOGIN', 'XOAUTH2'],
  onAuth: (auth, _session, done) => done(null, { user: auth.username ?? 'anyone' }),
  disabledCommands: ['STARTTLS'],
  disableReverseLookup: true,
  maxClients: 200,
};

/** The whole message, or null when it is over the limit; the rest of such a one is read and dropped. */
async function collect(stream: SMTPServerDataStream): Promise<Uint8Array | null> {
  const message = new GrowingBuffer();
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > MAX_MESSAGE_BYTES) message.clear();
    else message.add(chunk);
  }
  return size > MAX_MESSAGE_BYTES ? null : message.take();
}

function smtpError(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}

function listen(server: SMTPServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const refused = (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'is already in use' : `cannot be opened (${error.code})`;
      const message = `DEV_SMTP_PORT ${port} on ${host} ${why}.`;
      reject(new PostriderError('INVALID_CONFIG', message, { field: 'DEV_SMTP_PORT', cause: error }));
    };
    server.once('error', refused);
    server.listen(port, host, () => {
      server.off('error', refused);
      resolve();
    });
  });
}
