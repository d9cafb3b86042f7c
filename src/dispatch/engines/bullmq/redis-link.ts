import type { Redis } from 'ioredis';
import { isPostriderError, messageOf, PostriderError } from '../../../kernel/index.js';

/**
 * The connection the engine publishes on and knows the state of Redis by. It fails at once while Redis is
 * away, connects again by itself, and looks each time whether this Redis may carry a queue at all.
 */
export interface RedisLink {
  readonly client: Redis;
  /** Waits for the first answer; resolves with what is wrong with Redis, or null where all is well. */
  open(): Promise<LinkTrouble | null>;
  /** Called with each change after `open`. */
  onChange(fn: (trouble: LinkTrouble | null) => void): void;
  /** Looks again, as after a connection. */
  look(): Promise<void>;
  close(): void;
}

/** `refused`: a person must put it right; `away`: it passes by itself. */
export type LinkTrouble = { kind: 'away'; message: string } | { kind: 'refused'; error: PostriderError };

const CONNECT_MS = 5000;
const COMMAND_MS = 5000;
const RETRY_MS = 500;

export function createRedisLink(
  RedisClient: typeof Redis,
  url: string,
  /** What else has to be right; throws a PostriderError for what a person must put right. */
  check: (client: Redis) => Promise<void> = async () => {},
): RedisLink {
  const client = new RedisClient(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    retryStrategy: () => RETRY_MS,
  });
  let lastError = 'Redis does not answer';
  let change: (trouble: LinkTrouble | null) => void = () => {};
  const away = (): LinkTrouble => ({ kind: 'away', message: lastError });
  client.on('error', (error: Error) => {
    lastError = messageOf(error);
  });
  client.on('close', () => change(away()));
  client.on('ready', () => void look().then((trouble) => change(trouble)));

  async function look(): Promise<LinkTrouble | null> {
    try {
      const policy = /^maxmemory_policy:(\S+)/m.exec(await client.info('memory'))?.[1] ?? 'unknown';
      if (policy === 'noeviction') {
        await check(client);
        return null;
      }
      const message = `Redis would throw away jobs when its memory is full (maxmemory-policy ${policy}); it must be noeviction.`;
      return { kind: 'refused', error: new PostriderError('BROKER_UNSUITABLE', message) };
    } catch (error) {
      if (isPostriderError(error)) return { kind: 'refused', error };
      lastError = messageOf(error);
      return away();
    }
  }

  return {
    client,
    async open() {
      try {
        await client.connect();
      } catch (error) {
        lastError = messageOf(error);
        return away();
      }
      return look();
    },
    onChange(fn) {
      change = fn;
    },
    async look() {
      if (client.status === 'ready') change(await look());
    },
    close() {
      change = () => {};
      client.disconnect();
    },
  };
}
