import type { Clock } from '../../kernel/index.js';
import { POOL_TIMEOUT, STOPPING } from '../our-side.js';
import type { AttemptContext, Outcome } from '../provider.js';
import { watchAttempt } from '../watch-attempt.js';
import { type Lost, SmtpConnection } from './smtp-connection.js';
import type { SmtpSettings } from './smtp-options.js';

/**
 * The connections of one account: at most `maxConnections`, the most recently used first, so that
 * spare ones grow idle and are retired. Who finds none free waits in line until his deadline.
 * A 421 means "too many": then the others that are open are the limit, until success raises it again.
 */
export class ConnectionPool {
  private readonly idle: SmtpConnection[] = [];
  private readonly idleTimers = new Map<SmtpConnection, NodeJS.Timeout>();
  private readonly waiters = new Set<Waiter>();
  private slots = 0;
  private limit: number;
  /** Emails sent since the limit last moved. */
  private successes = 0;
  private closed = false;

  constructor(
    private readonly settings: SmtpSettings,
    private readonly clock: Clock,
  ) {
    this.limit = settings.maxConnections;
  }

  async acquire(attempt: AttemptContext): Promise<SmtpConnection | Lost> {
    if (this.closed || attempt.signal.aborted) {
      return { lost: true, code: STOPPING, message: 'the process is stopping' };
    }
    const connection = this.idle.pop();
    if (connection) return this.wake(connection);
    return this.slots < this.limit ? this.open() : this.waitInLine(attempt);
  }

  /** A new connection in the place of a dead one. */
  replace(dead: SmtpConnection): SmtpConnection {
    dead.onLost = undefined;
    return new SmtpConnection(this.settings);
  }

  /** Takes a connection back: for the next in line, to wait, or, when it is of no more use, to end. */
  release(connection: SmtpConnection, outcome?: Outcome): void {
    this.learnFrom(outcome);
    const spent = !connection.ready || connection.lost || connection.hasUnread || this.closed;
    if (spent || this.slots > this.limit) {
      this.slots -= 1;
      void connection.quit();
      this.serveWaiters();
      return;
    }
    const [next] = this.waiters;
    connection.reused = true;
    if (next) {
      next.give(connection);
      this.serveWaiters();
      return;
    }
    connection.idle = true;
    connection.onLost = () => this.drop(connection);
    this.idle.push(connection);
    this.idleTimers.set(
      connection,
      setTimeout(() => this.retire(connection), this.settings.idleTimeoutMs),
    );
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const waiter of this.waiters) waiter.lose(STOPPING, 'the provider is closed');
    await Promise.all([...this.idle].map((connection) => this.retire(connection)));
  }

  private open(): SmtpConnection {
    this.slots += 1;
    return new SmtpConnection(this.settings);
  }

  private serveWaiters(): void {
    for (const waiter of this.waiters) {
      if (this.closed || this.slots >= this.limit) return;
      waiter.give(this.open());
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
    clearTimeout(this.idleTimers.get(connection));
    this.idleTimers.delete(connection);
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

  private waitInLine(attempt: AttemptContext): Promise<SmtpConnection | Lost> {
    return new Promise((resolve) => {
      const finish = (result: SmtpConnection | Lost) => {
        this.waiters.delete(waiter);
        watch.end();
        resolve(result);
      };
      const waiter: Waiter = {
        give: finish,
        lose: (code, message) => finish({ lost: true, code, message }),
      };
      this.waiters.add(waiter);
      const watch = watchAttempt(waiter, attempt, { clock: this.clock, timeoutCode: POOL_TIMEOUT });
    });
  }
}

/** So many emails through each connection without a 421, and one more is tried. */
const SUCCESSES_PER_CONNECTION = 10;

interface Waiter {
  give(connection: SmtpConnection): void;
  lose(code: string, message: string): void;
}
