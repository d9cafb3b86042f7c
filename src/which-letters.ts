import { PostriderError, refuseUnknownKeys } from './kernel/index.js';

/** Which messages of a dead-letter queue are meant, and how many are to be shown. All of it has to be said. */
export type WhichLetters = { messageIds: readonly string[] } | { all: true };

export interface WantedLetters {
  /** null: all. */
  ids: readonly string[] | null;
  has(messageId: string): boolean;
  /** Of the ids those nobody asked about. */
  unseen(): string[];
}

const MOST_IDS = 1000;
const USUAL_LIMIT = 50;

export function readLimit({ limit = USUAL_LIMIT }: { limit?: number }): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MOST_IDS) return limit;
  throw refused('limit', `must be a whole number from 1 to ${MOST_IDS}`);
}

export function readWhich(which: WhichLetters): WantedLetters {
  if (typeof which !== 'object' || which === null || 'messageIds' in which === 'all' in which)
    throw refused('messageIds', 'or all must say which messages are meant, one of the two');
  refuseUnknownKeys(which, ['messageIds', 'all'], 'INVALID_PAYLOAD');
  if ('all' in which) {
    if (which.all !== true) throw refused('all', 'must be true');
    return { ids: null, has: () => true, unseen: () => [] };
  }
  const { messageIds } = which;
  if (!Array.isArray(messageIds) || messageIds.length === 0 || messageIds.length > MOST_IDS)
    throw refused('messageIds', `must be a list of 1 to ${MOST_IDS} ids`);
  const wrong = messageIds.findIndex((id) => typeof id !== 'string' || id === '' || id.length > 255);
  if (wrong !== -1) throw refused(`messageIds[${wrong}]`, 'is no id of a message');
  const ids = new Set<string>(messageIds);
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

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
