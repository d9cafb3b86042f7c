import { MESSAGE_PAGE_FIELDS, whichMessages } from './outbox/index.js';

/** Which messages of a dead-letter queue are meant, and how many are to be shown. All of it has to be said. */
export type WhichLetters = { messageIds: readonly string[] } | { all: true };

export interface WantedLetters {
  /** null: all. */
  ids: readonly string[] | null;
  has(messageId: string): boolean;
  /** Of the ids those nobody asked about. */
  unseen(): string[];
}

const USUAL_LIMIT = 50;
const WHICH = whichMessages({});

export function readLimit({ limit = USUAL_LIMIT }: { limit?: number }): number {
  return MESSAGE_PAGE_FIELDS.limit.read(limit, 'limit')!;
}

export function readWhich(which: WhichLetters): WantedLetters {
  const meant = WHICH.read(which, '');
  if ('all' in meant) return { ids: null, has: () => true, unseen: () => [] };
  const ids = new Set(meant.messageIds);
  const seen = new Set<string>();
  return {
    ids: [...ids],
    has(messageId: string) {
      if (!ids.has(messageId)) return false;
      seen.add(messageId);
      return true;
    },
    unseen: () => [...ids].filter((messageId) => !seen.has(messageId)),
  };
}
