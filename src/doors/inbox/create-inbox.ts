/**
 * The development inbox: keeps every message it is given, newest first, on disk across restarts.
 * `add` returns once the message is durable. It keeps at most `keep` messages and drops the oldest.
 * It is for developers: whoever can reach it can read everything in it.
 */
import { type Clock, type Logger, messageOf, newId } from '../../kernel/index.js';
import type { Envelope, InboxMessage } from './inbox-message.js';
import { messageFiles } from './message-files.js';
import { summarize } from './read-message.js';
import { type Sink, type SinkOptions, startSink } from './start-sink.js';

export interface Inbox {
  /** Stores one message; it is on disk when this returns. */
  add(raw: Uint8Array, envelope: Envelope): Promise<InboxMessage>;
  /** Newest first. */
  list(): InboxMessage[];
  find(id: string): InboxMessage | undefined;
  /** The bytes as received, or null when there is no such message. */
  raw(id: string): Promise<Uint8Array | null>;
  /** Removes every message and says how many there were. */
  clear(): Promise<number>;
  /** Tells of every change until the returned function is called. */
  subscribe(listener: (change: InboxChange) => void): () => void;
  startSink(options: SinkOptions): Promise<Sink>;
}

export type InboxChange =
  | { kind: 'received'; message: InboxMessage }
  | { kind: 'removed'; id: string }
  | { kind: 'cleared' };

export interface InboxOptions {
  directory: string;
  clock: Clock;
  logger: Logger;
  /** How many messages stay; the oldest beyond are removed. */
  keep?: number;
}

export async function createInbox({ directory, clock, logger, keep = 1000 }: InboxOptions): Promise<Inbox> {
  const files = messageFiles(directory, logger);
  const messages = new Map((await files.load()).map((message) => [message.id, message]));
  const listeners = new Set<(change: InboxChange) => void>();
  await dropOldest();

  const inbox: Inbox = {
    async add(raw, envelope) {
      const receivedAtMs = clock.now();
      const message = await summarize(raw, { id: newId(receivedAtMs), receivedAtMs, envelope });
      await files.write(message, raw);
      messages.set(message.id, message);
      tell({ kind: 'received', message });
      // The message is safe; that an older one could not be removed must not refuse it.
      await dropOldest().catch((error: unknown) =>
        logger.error({ error: messageOf(error) }, 'inbox could not remove its oldest messages'),
      );
      return message;
    },
    list: () => [...messages.values()].sort((a, b) => (a.id < b.id ? 1 : -1)),
    find: (id) => messages.get(id),
    raw: async (id) => (messages.has(id) ? files.read(id) : null),
    async clear() {
      const ids = [...messages.keys()];
      for (const id of ids) await forget(id);
      tell({ kind: 'cleared' });
      return ids.length;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    startSink: (options) => startSink({ ...options, add: inbox.add, logger }),
  };
  return inbox;

  async function dropOldest(): Promise<void> {
    // Two writes may end in the other order, so the oldest is by id, not by place.
    const excess = messages.size - keep;
    if (excess <= 0) return;
    for (const id of [...messages.keys()].sort().slice(0, excess)) {
      await forget(id);
      tell({ kind: 'removed', id });
    }
  }

  async function forget(id: string): Promise<void> {
    messages.delete(id);
    await files.remove(id);
  }

  function tell(change: InboxChange): void {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        // A page that broke off must not make the sender repeat a message that is already safe.
        logger.error({ error: messageOf(error) }, 'inbox listener failed');
      }
    }
  }
}
