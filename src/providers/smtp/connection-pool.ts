import type { Clock } from '../../kernel/index.js';
import type { AttemptContext } from '../provider.js';
import { type Lost, SmtpConnection } from './smtp-connection.js';
import type { SmtpSettings } from './smtp-options.js';
import { POOL_TIMEOUT, STOPPING } from './smtp-outcome.js';
import { watchAttempt } from './watch-attempt.js';

/**
 * The connections of one account: at most `maxConnections`, the most recently used first, so that
 * spare ones grow idle and are retired. Who finds none free waits in line until his deadline.
 */
export class ConnectionPool {
  private readonly idle: SmtpConnection[] = [];
  private readonly idleTimers = new Map<SmtpConnection, NodeJS.Timeout>();
  private readonly waiters = new Set<Waiter>();
  private slots = 0;
  private closed = false;

  constructor(
    private readonly settings: SmtpSettings,
    private readonly clock: Clock,
  ) {}

  async acquire(attempt: AttemptContext): Promise<SmtpConnection | Lost> {
    if (this.closed || attempt.signal.aborted) {
      return { lost: true, code: STOPPING, message: 'the process is stopping' };
    }
    const connection = this.idle.pop();
    if (connection) return this.wake(connection);
    if (this.slots < this.settings.maxConnections) {
      this.slots += 1;
      return new SmtpConnection(this.settings);
    }
    return this.waitInLine(attempt);
  }

  /** A new connection in the place of a dead one. */
  replace(dead: SmtpConnection): SmtpConnection {
    dead.onLost = undefined;
    return new SmtpConnection(this.settings);
  }

  /** Takes a connection back: for the next in line, to wait, or, when it is of no more use, to end. */
  release(connection: SmtpConnection): void {
    const [next] = this.waiters;
    if (!connection.ready || connection.lost || connection.hasUnread || this.closed) {
      void connection.quit();
      if (next && !this.closed) next.give(new SmtpConnection(this.settings));
      else this.slots -= 1;
      return;
    }
    connection.reused = true;
    if (next) {
      next.give(connection);
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

interface Waiter {
  give(connection: SmtpConnection): void;
  lose(code: string, message: string): void;
}
