import { type DestinationStream, pino } from 'pino';

/**
 * Structured logs. Lines about an email carry outboxId, requestId, companyId, attempt, state and
 * durationMs; never a body, code or secret: the redaction below is the second lock, not the first.
 */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
  /** Where it is known that nobody reads a level, its lines need not be made. */
  isLevelEnabled?(level: string): boolean;
}

const SECRETS = ['html', 'text', 'password', 'pass', 'apiKey', 'token', 'authorization', 'data', 'subject'];

export function createLogger(options: LoggerOptions = {}): Logger {
  const settings = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`]), censor: '[hidden]' },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
}

export interface LoggerOptions {
  level?: string;
  destination?: DestinationStream;
}

export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
