import type { Channel, Connection } from '../../../amqp/index.js';
import { delay } from '../../../kernel/index.js';

/**
 * Keeps one channel of a connection open and set up: whenever it is closed, by an error, by the broker or with
 * the connection, another is opened. Every failed trial is told; nothing is thrown.
 */
export interface KeptChannel {
  /** null while there is none. */
  current(): Channel | null;
  /** Opens no more and closes the one there is; ends once the connection is closed too. */
  stop(): void;
  over: Promise<void>;
}

export interface KeepOptions {
  connection: Connection;
  setUp(channel: Channel): Promise<void>;
  onUp(): void;
  onDown(error: unknown): void;
}

const AGAIN_MS = 250;

export function keepChannel({ connection, setUp, onUp, onDown }: KeepOptions): KeptChannel {
  const stopping = new AbortController();
  let current: Channel | null = null;

  async function live(): Promise<void> {
    const channel = await connection.acquire({ emitErrorsFromChannel: true });
    const gone = goneOf(channel);
    try {
      await setUp(channel);
      if (stopping.signal.aborted) return;
      current = channel;
      onUp();
      throw await gone;
    } finally {
      current = null;
      await channel.close();
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await live().catch((error: unknown) => {
        if (!stopping.signal.aborted) onDown(error);
      });
      await delay(AGAIN_MS, stopping.signal);
    }
  }

  return {
    current: () => current,
    stop() {
      stopping.abort();
      current?.close();
    },
    over: loop(),
  };
}

/** Why the channel was lost, or its consumer: a broker cancels it when the queue is deleted. */
function goneOf(channel: Channel): Promise<Error> {
  return new Promise((resolve) => {
    let last: Error | null = null;
    channel.on('error', (error: Error) => {
      last = error;
    });
    channel.on('basic.cancel', (_tag, error: Error) => resolve(error));
    channel.on('close', () => resolve(last ?? new Error('the channel was closed')));
  });
}
