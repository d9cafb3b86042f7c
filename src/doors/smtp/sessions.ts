import type { KeyCaller } from '../../access/index.js';
import type { Clock } from '../../kernel/index.js';
import type { KeyLimits } from './key-limits.js';
import { refusal } from './smtp-reply.js';

/**
 * What the door knows of its connections: who signed in, who is in the middle of a message, how long each may still
 * take. A connection that trickles bytes keeps neither its place nor its key's for ever.
 */
export function createSessions({ clock, limits }: { clock: Clock; limits: KeyLimits }): Sessions {
  const known = new Map<string, Known>();
  let stopping = false;

  return {
    connected: (id) =>
      known.set(id, {
        guesses: 0,
        signedIn: null,
        deadline: clock.monotonic() + SIGN_IN_MS,
        busy: false,
        refusedRecipients: 0,
      }),
    guessed(id) {
      const entry = known.get(id);
      if (entry) entry.guesses += 1;
      return (entry?.guesses ?? 0) >= MAX_GUESSES;
    },
    signedIn(id, session) {
      const entry = known.get(id);
      // Gone while its key was looked up; there is nobody to leave later.
      if (!entry) return true;
      if (!limits.enter(session.caller.keyId)) return false;
      entry.signedIn = session;
      entry.deadline = null;
      return true;
    },
    get(id) {
      const session = known.get(id)?.signedIn;
      if (!session) throw refusal(530, '5.7.0 Sign in first');
      return session;
    },
    messageBegun(id) {
      const entry = known.get(id);
      if (entry) entry.refusedRecipients = 0;
    },
    recipientRefused(id) {
      const entry = known.get(id);
      if (entry) entry.refusedRecipients += 1;
    },
    refusedRecipients: (id) => known.get(id)?.refusedRecipients ?? 0,
    busy(id) {
      const entry = known.get(id);
      if (entry) Object.assign(entry, { busy: true, deadline: clock.monotonic() + MESSAGE_MS });
    },
    idle(id) {
      const entry = known.get(id);
      if (entry) Object.assign(entry, { busy: false, deadline: null });
    },
    isBusy: (id) => known.get(id)?.busy ?? false,
    closed(id) {
      const entry = known.get(id);
      known.delete(id);
      if (entry?.signedIn) limits.leave(entry.signedIn.caller.keyId);
    },
    stop() {
      stopping = true;
    },
    stopping: () => stopping,
    expire(end) {
      const timer = setInterval(() => {
        const now = clock.monotonic();
        for (const [id, { deadline }] of known)
          if (deadline !== null && deadline < now) end(id, '4.4.2 This takes too long');
      }, LOOK_EVERY_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

export interface DoorSession {
  token: string;
  caller: KeyCaller;
}

export interface Sessions {
  connected(id: string): void;
  /** Counts a wrong key; true when there were enough of them. */
  guessed(id: string): boolean;
  /** False where its key has no connection left. */
  signedIn(id: string, session: DoorSession): boolean;
  get(id: string): DoorSession;
  messageBegun(id: string): void;
  recipientRefused(id: string): void;
  /** Of the message under way. */
  refusedRecipients(id: string): number;
  busy(id: string): void;
  idle(id: string): void;
  isBusy(id: string): boolean;
  closed(id: string): void;
  stop(): void;
  stopping(): boolean;
  /** Calls `end` for those whose time is over; returns what ends that. */
  expire(end: (id: string, text: string) => void): () => void;
}

interface Known {
  guesses: number;
  signedIn: DoorSession | null;
  deadline: number | null;
  busy: boolean;
  refusedRecipients: number;
}

const MAX_GUESSES = 5;
const SIGN_IN_MS = 60_000;
const MESSAGE_MS = 10 * 60_000;
const LOOK_EVERY_MS = 5_000;
