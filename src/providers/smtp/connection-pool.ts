import { STOPPING } from '../our-side.js';
import type { AttemptContext, Outcome } from '../provider.js';
import { SOCKET_CLOSED } from './classify-network-error.js';
import { REFUSED_AHEAD } from './deliver-message.js';
import { type PreparedMessage, unfitFor } from './prepare-message.js';
import { SmtpConnection } from './smtp-connection.js';
import type { SmtpSettings } from './smtp-options.js';
import { WaitingLine } from './waiting-line.js';
import { WaitingPlace } from './waiting-place.js';

/**
 * The connections of one account: at most `maxConnections`, the most recently used first, so that
 * spare ones grow idle and are retired. Who finds none free waits in line until his deadline.
 * Few are opened at the same time: of twenty that come at once some servers' kernels drop a part, whose
 * emails would wait for a greeting that never comes.
 * A 421 means "too many": then the others that are open are the limit, until success raises it again.
 *
 * The first in line may be promised a connection whose server answers quickly, so that his envelope
 * leaves with the message before his. When the answer does not come and another connection is free, he
 * goes there, and the envelope is never completed.
 */
export class ConnectionPool {
  private readonly idle: SmtpConnection[] = [];
  private readonly line = new WaitingLine();
  private readonly opening = new Set<SmtpConnection>();
  /** Those with an heir. A list, and the heir kept by his connection: see docs/decisions/0012. */
  private readonly promised: SmtpConnection[] = [];
  private slots = 0;
  private limit: number;
  /** Emails sent since the limit last moved. */
  private successes = 0;
  private closed = false;
  /** Until a server refuses an envelope that came with the message before it. */
  private asksAhead = true;
  /** In the place of one whose envelope ahead was refused: what becomes of it tells why. */
  private readonly doubted = new WeakSet<SmtpConnection>();
  private lateness: NodeJS.Timeout | undefined;

  constructor(private readonly settings: SmtpSettings) {
    this.limit = settings.maxConnections;
  }

  /** How many the server takes. */
  get connections(): number {
    return this.limit;
  }

  /** How many emails that come now would have a connection at once, or within milliseconds. */
  get servedAtOnce(): number {
    if (this.closed) return 0;
    return this.idle.length + this.line.soonFor(this.slots - this.opening.size);
  }

  /** A connection at once, or a place in line. */
  acquire(message: PreparedMessage, attempt: AttemptContext): SmtpConnection | WaitingPlace {
    if ((this.idle.length > 0 || this.mayOpen()) && this.line.enter(attempt.givesWay, this.limit)) {
      return this.takeFree();
    }
    const place = new WaitingPlace(message, attempt);
    if (this.closed) place.lose(STOPPING, CLOSED);
    else this.line.add(place, this.limit);
    return place;
  }

  /** Who gets this connection next, if that is known already and his envelope may be sent ahead. */
  promise(connection: SmtpConnection): PreparedMessage | undefined {
    if (!this.asksAhead || this.closed || this.slots > this.limit) return undefined;
    // Behind a slow answer he would wait while other connections grow free.
    if (connection.replyMs > QUICK_REPLY_MS || !connection.extensions.has('PIPELINING')) return undefined;
    const first = this.line.peek(this.limit);
    if (!first?.maySendAhead || unfitFor(connection, first.message)) return undefined;
    this.line.take(this.limit);
    this.promised.push(connection);
    connection.heir = first;
    this.lateness ??= setTimeout(this.freeTheLate, LATE_MS).unref();
    return first.message;
  }

  /** A new connection in the place of a dead one. */
  replace(dead: SmtpConnection): SmtpConnection {
    dead.onLost = undefined;
    const fresh = this.connect();
    if (dead.lost?.code === REFUSED_AHEAD) {
      this.asksAhead = false;
      this.doubted.add(fresh);
    }
    return fresh;
  }

  /** The server has let it in: the next may knock. */
  opened(connection: SmtpConnection): void {
    this.opening.delete(connection);
    this.serveLine();
  }

  /** Takes a connection back: for the next in line, to wait, or, when it is of no more use, to end. */
  release(connection: SmtpConnection, attempt: AttemptContext, outcome?: Outcome): void {
    this.opening.delete(connection);
    this.line.leave(attempt.givesWay);
    this.learnFrom(outcome);
    if (outcome?.kind === 'sent') this.line.answered(connection.replyMs);
    // Refused in the plain order too: it was the sender that was disliked.
    if (this.doubted.delete(connection) && isMailRefusal(outcome)) this.asksAhead = true;
    const heir = this.takeHeir(connection);
    const unread = heir === undefined && connection.hasUnread;
    // Without an outcome nobody knows what the server still has to say.
    const useless = !outcome || !connection.ready || connection.lost || unread || this.closed;
    if (useless || heir?.over || this.slots > this.limit) {
      this.end(connection, heir);
      return;
    }
    connection.reused = true;
    if (heir) {
      connection.sentAhead = true;
      heir.give(connection);
      // What was learnt may have made room for one more connection.
      this.serveLine();
      return;
    }
    const next = this.line.take(this.limit);
    if (next) {
      next.give(connection);
      this.serveLine();
      return;
    }
    connection.idle = true;
    connection.onLost = () => this.drop(connection);
    this.idle.push(connection);
    connection.idleTimer = setTimeout(() => this.retire(connection), this.settings.idleTimeoutMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const place of [...this.line.all(), ...this.promised.map(({ heir }) => heir)]) {
      if (place && !place.over) place.lose(STOPPING, CLOSED);
    }
    await Promise.all([...this.idle].map((connection) => this.retire(connection)));
  }

  /** An idle connection, else a new one. */
  private takeFree(): SmtpConnection {
    const free = this.idle.pop();
    if (free) return this.wake(free);
    this.slots += 1;
    return this.connect();
  }

  private connect(): SmtpConnection {
    const connection = new SmtpConnection(this.settings);
    this.opening.add(connection);
    return connection;
  }

  private mayOpen(): boolean {
    return !this.closed && this.slots < this.limit && this.opening.size < OPENING_AT_ONCE;
  }

  private end(connection: SmtpConnection, heir?: WaitingPlace): void {
    this.slots -= 1;
    // Behind an envelope sent ahead a goodbye would be read as the message.
    if (heir) connection.lose(SOCKET_CLOSED, 'ended by us');
    else void connection.quit();
    if (heir && !heir.over) this.line.comeBack(heir);
    this.serveLine();
  }

  /** Those promised a connection that two looks in a row found unanswered, as far as others are free. */
  private readonly freeTheLate = (): void => {
    this.lateness = undefined;
    for (const connection of this.promised) {
      const { heir } = connection;
      if (!heir || heir.over) continue;
      if (heir.late && (this.idle.length > 0 || this.mayOpen())) {
        connection.heir = GONE;
        heir.give(this.takeFree());
      } else heir.late = true;
    }
    if (this.promised.length > 0) this.lateness = setTimeout(this.freeTheLate, LATE_MS).unref();
  };

  private takeHeir(connection: SmtpConnection): WaitingPlace | undefined {
    const { heir } = connection;
    if (!heir) return undefined;
    connection.heir = undefined;
    this.promised.splice(this.promised.indexOf(connection), 1);
    return heir;
  }

  private serveLine(): void {
    while (!this.closed && (this.idle.length > 0 || this.mayOpen())) {
      const next = this.line.take(this.limit);
      if (!next) return;
      next.give(this.takeFree());
    }
  }

  private learnFrom(outcome: Outcome | undefined): void {
    if (outcome && outcome.kind !== 'sent' && outcome.trace.responseCode === 421) {
      this.limit = Math.max(1, Math.min(this.limit, this.slots - 1));
      this.successes = 0;
    } else if (outcome?.kind === 'sent' && this.limit < this.settings.maxConnections) {
      this.successes += 1;
      if (this.successes < this.limit * SUCCESSES_PER_CONNECTION) return;
      this.limit += 1;
      this.successes = 0;
    }
  }

  private wake(connection: SmtpConnection): SmtpConnection {
    clearTimeout(connection.idleTimer);
    connection.idle = false;
    connection.onLost = undefined;
    return connection;
  }

  private drop(connection: SmtpConnection): void {
    const index = this.idle.indexOf(connection);
    if (index < 0) return;
    this.idle.splice(index, 1);
    this.wake(connection);
    this.slots -= 1;
  }

  private retire(connection: SmtpConnection): Promise<void> {
    this.drop(connection);
    return connection.quit();
  }
}

/** So many emails through each connection without a 421, and one more is tried. */
const SUCCESSES_PER_CONNECTION = 10;
const QUICK_REPLY_MS = 100;
/** OpenSMTPD's listen queue holds five. */
const OPENING_AT_ONCE = 4;
const LATE_MS = 250;
/** Stands for an heir who was served elsewhere: the connection ends with the answer it waits for. */
const GONE = { over: true } as WaitingPlace;

function isMailRefusal(outcome: Outcome | undefined): boolean {
  if (!outcome || outcome.kind === 'sent') return false;
  const { stage, responseCode } = outcome.trace;
  return stage === 'mail' && responseCode !== undefined && responseCode !== 421;
}

const CLOSED = 'the provider is closed';
