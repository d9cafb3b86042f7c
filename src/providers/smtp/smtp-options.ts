import { hostname } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import { PostriderError } from '../../kernel/index.js';
import type { DkimKey } from '../mime/dkim-keys.js';

/**
 * The settings of one SMTP account, with their defaults. Refuses at construction what could never
 * work: half a credential, a port that is none, control characters in a name.
 */
export interface SmtpOptions {
  host: string;
  port: number;
  /** TLS from the first byte. Defaults to true on port 465, else false. */
  secure?: boolean;
  /** Without a username nothing is authenticated. */
  username?: string;
  password?: string;
  /**
   * Instead of a password: gives the access token for XOAUTH2. Asked once per connection, and once
   * more with `refused` when the server did not take what it gave.
   */
  accessToken?: (why: { refused: boolean }) => string | Promise<string>;
  /** Mail of these domains is signed. */
  dkim?: DkimKey[];
  /** Refuse to go on without TLS. Defaults to true when there are credentials, which allow no false. */
  requireTls?: boolean;
  /** Passed to node:tls: a private CA, a client certificate, rejectUnauthorized. */
  tls?: ConnectionOptions;
  /** Defaults to 20. */
  maxConnections?: number;
  /** An unused connection is ended after this. Defaults to 30 s. */
  idleTimeoutMs?: number;
  /** Until TCP, and TLS where it comes first, is established. Defaults to 10 s. */
  connectTimeoutMs?: number;
  /** From the final dot to the server's answer. Defaults to 10 min, as RFC 5321 asks. */
  replyTimeoutMs?: number;
  /** The name given in EHLO. Defaults to this machine's full name, or [127.0.0.1]. */
  clientName?: string;
}

export type SmtpCredentials =
  | { username: string; password: string }
  | { username: string; accessToken: NonNullable<SmtpOptions['accessToken']> };

export interface SmtpSettings {
  host: string;
  port: number;
  secure: boolean;
  credentials: SmtpCredentials | undefined;
  requireTls: boolean;
  tls: ConnectionOptions;
  maxConnections: number;
  idleTimeoutMs: number;
  connectTimeoutMs: number;
  replyTimeoutMs: number;
  clientName: string;
  dkim: DkimKey[];
}

export function resolveSmtpOptions(options: SmtpOptions): SmtpSettings {
  if (!options.host || NOT_A_NAME.test(options.host))
    throw invalid('host', 'The SMTP host is not a host name.');
  if (!Number.isInteger(options.port) || options.port < 1 || options.port > 65535) {
    throw invalid('port', 'The SMTP port is a number from 1 to 65535.');
  }
  const clientName = options.clientName ?? ownName();
  if (!clientName || NOT_A_NAME.test(clientName)) {
    throw invalid('clientName', 'The EHLO name is a host name or an address in brackets.');
  }
  const maxConnections = options.maxConnections ?? 20;
  if (!Number.isInteger(maxConnections) || maxConnections < 1) {
    throw invalid('maxConnections', 'At least one SMTP connection is needed.');
  }
  const credentials = credentialsOf(options);
  if (credentials && options.requireTls === false) {
    throw invalid('requireTls', 'SMTP credentials are never sent without TLS.');
  }
  return {
    host: options.host,
    port: options.port,
    secure: options.secure ?? options.port === 465,
    credentials,
    requireTls: options.requireTls === true || credentials !== undefined,
    tls: options.tls ?? {},
    maxConnections,
    idleTimeoutMs: options.idleTimeoutMs ?? 30_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 10_000,
    replyTimeoutMs: options.replyTimeoutMs ?? 600_000,
    clientName,
    dkim: options.dkim ?? [],
  };
}

const NOT_A_NAME = /[\x00-\x20\x7f-\uffff]/;

function credentialsOf(options: SmtpOptions): SmtpSettings['credentials'] {
  const { username, password, accessToken } = options;
  if (accessToken) {
    if (!username || /[\x00-\x1f]/.test(username) || password) {
      throw invalid('accessToken', 'XOAUTH2 needs a username and an access token, and no password.');
    }
    return { username, accessToken };
  }
  if (!username && !password) return undefined;
  if (!username || !password) {
    throw invalid(
      username ? 'password' : 'username',
      'SMTP needs both a username and a password, or neither.',
    );
  }
  // PLAIN separates its parts with NUL.
  if (username.includes('\0') || password.includes('\0')) {
    throw invalid('password', 'SMTP credentials hold no NUL.');
  }
  return { username, password };
}

function ownName(): string {
  const name = hostname();
  return /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+$/.test(name) ? name : '[127.0.0.1]';
}

function invalid(field: string, message: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', message, { field });
}
