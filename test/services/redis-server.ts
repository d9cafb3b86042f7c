/** One Redis of our own that a test may stop, kill and start again on the same port. It keeps nothing on disk. */
export interface RedisServer {
  url: string;
  /** Where it came from, for people. */
  origin: string;
  /** Starts it again, empty; returns when it takes connections. Nothing happens when it runs. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

export interface RedisServerOptions {
  /** What it does when memory runs out; BullMQ asks for the default. */
  maxmemoryPolicy?: string;
}

export function redisSettings({ maxmemoryPolicy = 'noeviction' }: RedisServerOptions): string[] {
  return ['--save', '', '--appendonly', 'no', '--maxmemory-policy', maxmemoryPolicy];
}
