import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { messageOf } from '../../kernel/index.js';
import { SOCKET_CLOSED } from './classify-network-error.js';
import { Conversation, oneLine } from './conversation.js';
import type { WireMessage } from './encode-for-wire.js';
import { ReplyReader, type SmtpReply } from './reply-reader.js';
import type { SmtpSettings } from './smtp-options.js';
import type { SmtpStage } from './smtp-stage.js';
import type { WaitingPlace } from './waiting-place.js';

/**
 * One connection to a server: writes commands, reads replies, and is lost at most once. Whatever
 * ends it (the network, a deadline, a stop, a protocol violation) is the value the next read gives,
 * after the replies that had already arrived. It never throws and never reconnects.
 */
export class SmtpConnection {
  stage: SmtpStage = 'connect';
  /** Greeting, EHLO, TLS and AUTH are done. */
  ready = false;
  /** It has served an earlier attempt, so the server may have closed it meanwhile. */
  reused = false;
  /** The server has answered a MAIL of this attempt. */
  answered = false;
  /** It waits in the pool, where the server has nothing to say but goodbye. */
  idle = false;
  /** The last transaction was left open and needs a RSET. */
  needsReset = false;
  /** The envelope of the attempt that has it now was sent before it had it. */
  sentAhead = false;
  /** How long the server took to answer the last message. */
  replyMs = Number.POSITIVE_INFINITY;
  extensions: ReadonlyMap<string, string> = new Map();
  conversation = new Conversation();
  lost: Lost | undefined;
  /** The pool's: who gets it next, and when it is retired. */
  heir: WaitingPlace | undefined;
  idleTimer: NodeJS.Timeout | undefined;
  /** Told once, when the connection is lost. */
  onLost: (() => void) | undefined;

  private socket: Socket;
  private reader = new ReplyReader();
  private replies: SmtpReply[] = [];
  private unreadBytes = 0;
  private waiting: ((result: SmtpReply | Lost) => void) | undefined;

  constructor(private readonly settings: SmtpSettings) {
    const { host, port } = settings;
    const socket = settings.secure
      ? connectTls({ ...settings.tls, ...this.serverName(), host, port })
      : connectTcp({ host, port, onread: { buffer: arrived, callback: this.arrive } });
    socket.setNoDelay(true);
    // A silent peer must not hold a connection for ever while its ten minutes pass.
    socket.setKeepAlive(true, 30_000);
    this.socket = this.attach(socket);
    if (settings.secure) socket.on('data', (chunk: Buffer) => this.receive(chunk, chunk.length));
    const timer = setTimeout(
      () => this.lose('ETIMEDOUT', `no connection within ${settings.connectTimeoutMs} ms`),
      settings.connectTimeoutMs,
    );
    socket.once('close', () => clearTimeout(timer));
    socket.once(settings.secure ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      this.stage = 'greeting';
    });
  }

  get encrypted(): boolean {
    return 'encrypted' in this.socket && this.socket.encrypted === true;
  }

  /** Something has arrived that nobody asked for. */
  get hasUnread(): boolean {
    return this.replies.length > 0 || this.reader.midReply;
  }

  begin(): void {
    this.answered = false;
    if (this.reused) this.conversation = new Conversation();
  }

  /** One command; `shown` replaces it in the conversation where it carries a secret. */
  command(line: string, shown = line): void {
    this.conversation.client(shown);
    this.write(`${line}\r\n`);
  }

  /** Several commands in one write. */
  commands(lines: readonly string[], encoding: 'utf8' | 'latin1' = 'utf8'): void {
    this.said(lines);
    this.write(`${lines.join('\r\n')}\r\n`, encoding);
  }

  /** Notes commands that have been written before. */
  said(lines: readonly string[]): void {
    for (const line of lines) this.conversation.client(line);
  }

  /** `latin1` for what is known to be ASCII: it need not be measured first. */
  write(text: string, encoding: 'utf8' | 'latin1' = 'utf8'): void {
    if (!this.lost) this.socket.write(text, encoding);
  }

  /** A message and what follows it leave together: a write costs more than what is in it. */
  writeTogether(message: WireMessage, tail: string, encoding: 'utf8' | 'latin1'): void {
    if (this.lost) return;
    const { content, size, room } = message;
    if (room && encoding === 'latin1' && tail.length <= room.length - size) {
      // The bytes behind are the socket's from now on.
      message.room = null;
      this.socket.write(room.subarray(0, size + room.write(tail, size, 'latin1')));
      return;
    }
    this.socket.cork();
    if (size > 0) this.socket.write(content);
    this.socket.write(tail, encoding);
    this.socket.uncork();
  }

  /** Writes and waits until the system has taken it all, or the connection is lost. */
  flush(bytes: Buffer): Promise<void> {
    if (this.lost) return Promise.resolve();
    // A write error also reaches 'error', which loses the connection; here it only ends the wait.
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  /** What has arrived already is given at once: of a pipelined group only the first reply is waited for. */
  read(): SmtpReply | Lost | Promise<SmtpReply | Lost> {
    const arrived = this.replies.shift();
    if (arrived) return this.heard(arrived);
    return this.lost ?? new Promise<SmtpReply | Lost>(this.wait);
  }

  lose(code: string, message: string): void {
    if (this.lost) return;
    this.lost = { lost: true, code, message: oneLine(message, 500) };
    this.socket.destroy();
    const waiting = this.waiting;
    this.waiting = undefined;
    waiting?.(this.lost);
    this.onLost?.();
  }

  /** After a 220 to STARTTLS. The caller has made sure that no plaintext is left unread. */
  startTls(): Promise<void> {
    const plain = this.socket;
    plain.removeAllListeners('end');
    this.reader = new ReplyReader();
    const secure = connectTls({ ...this.settings.tls, ...this.serverName(), socket: plain });
    this.socket = this.attach(secure);
    secure.on('data', (chunk: Buffer) => this.receive(chunk, chunk.length));
    return new Promise((resolve) => {
      secure.once('secureConnect', () => resolve());
      secure.once('close', () => resolve());
    });
  }

  /** Says goodbye and does not wait longer than a second for the server to agree. */
  quit(): Promise<void> {
    if (this.lost) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.lose(SOCKET_CLOSED, 'ended by us'), 1000);
      this.socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      this.socket.end('QUIT\r\n');
    });
  }

  private heard(reply: SmtpReply): SmtpReply {
    this.unreadBytes -= reply.bytes;
    this.conversation.server(reply);
    return reply;
  }

  private readonly wait = (resolve: (result: SmtpReply | Lost) => void): void => {
    this.waiting = resolve;
  };

  private attach(socket: Socket): Socket {
    socket.on('error', (error: NodeJS.ErrnoException) => {
      this.lose(error.code ?? 'ESOCKET', describe(error));
    });
    socket.on('end', () => this.lose(SOCKET_CLOSED, 'the server closed the connection'));
    socket.on('close', () => this.lose(SOCKET_CLOSED, 'the connection was closed'));
    return socket;
  }

  private readonly arrive = (size: number, bytes: Uint8Array): boolean => {
    this.receive(bytes as Buffer, size);
    return true;
  };

  /** What it is read from is read before this returns. */
  private receive(chunk: Buffer, size: number): void {
    if (this.lost) return;
    if (this.idle) {
      this.lose(SOCKET_CLOSED, 'the server ended an idle connection');
      return;
    }
    const { replies, violation } = this.reader.push(chunk, size);
    for (const reply of replies) {
      this.unreadBytes += reply.bytes;
      if (this.waiting) {
        const waiting = this.waiting;
        this.waiting = undefined;
        waiting(this.heard(reply));
      } else this.replies.push(reply);
    }
    if (violation) this.lose('EPROTOCOL', violation);
    else if (this.unreadBytes > MAX_UNREAD_BYTES) this.lose('EPROTOCOL', 'replies nobody asked for');
  }

  private serverName(): { servername?: string } {
    return isIP(this.settings.host) ? {} : { servername: this.settings.host };
  }
}

export interface Lost {
  lost: true;
  code: string;
  message: string;
}

export function isLost(result: SmtpReply | Lost): result is Lost {
  return 'lost' in result;
}

const MAX_UNREAD_BYTES = 1024 * 1024;

/** What arrives in the clear, on whichever connection: a buffer for each arrival would be 64 KB for a short line. */
const arrived = Buffer.allocUnsafeSlow(64 * 1024);

/** A host with several addresses fails with all their errors and no message of its own. */
function describe(error: Error): string {
  if (error.message) return error.message;
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : error.name;
}
