/**
 * The messages of the development inbox, kept up to date by its stream of changes; after a break the whole is read
 * again. What comes in while `busy` waits to be called for, so that nothing moves under the reader's hand.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { InboxMessage } from '../../src/doors/inbox/index.js';
import { callApi } from '../api/call-api.js';

const KEY = ['inbox'];
const AGAIN_MS = 2_000;

export interface InboxOptions {
  openId: string | null;
  /** Someone reads, or looks further down. */
  busy: boolean;
  onGone(): void;
}

export function useInbox({ openId, busy, onGone }: InboxOptions) {
  const queries = useQueryClient();
  const [live, setLive] = useState(false);
  const [unseen, setUnseen] = useState<ReadonlySet<string>>(new Set());
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  const isBusy = useRef(busy);
  const list = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => callApi<{ messages: InboxMessage[] }>('GET', '/dev/inbox/messages', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });

  useEffect(() => {
    let stream: EventSource;
    let again: ReturnType<typeof setTimeout> | undefined;
    const change = (update: (messages: InboxMessage[]) => InboxMessage[]) =>
      queries.setQueryData<{ messages: InboxMessage[] }>(
        KEY,
        (known) => known && { messages: update(known.messages) },
      );
    const listen = () => {
      stream = new EventSource('/dev/inbox/stream');
      stream.onopen = () => {
        setLive(true);
        void queries.invalidateQueries({ queryKey: KEY });
      };
      stream.onerror = () => {
        setLive(false);
        // The browser gives up for good after an answer that is not a stream.
        if (stream.readyState === EventSource.CLOSED) again = setTimeout(listen, AGAIN_MS);
      };
      stream.addEventListener('received', ({ data }) => {
        const { message } = JSON.parse(data) as { message: InboxMessage };
        setUnseen((ids) => new Set([...ids, message.id]));
        if (isBusy.current) setHeld((ids) => new Set([...ids, message.id]));
        change((messages) => [message, ...messages.filter(({ id }) => id !== message.id)].sort(newestFirst));
      });
      stream.addEventListener('removed', ({ data }) => {
        const { id: gone } = JSON.parse(data) as { id: string };
        change((messages) => messages.filter(({ id }) => id !== gone));
      });
      stream.addEventListener('cleared', () => change(() => []));
    };
    listen();
    return () => {
      clearTimeout(again);
      stream.close();
    };
  }, [queries]);

  useEffect(() => {
    if (openId) setUnseen((ids) => new Set([...ids].filter((id) => id !== openId)));
  }, [openId]);

  useEffect(() => {
    isBusy.current = busy;
    if (!busy) setHeld(new Set());
  }, [busy]);

  const messages = list.data?.messages;
  const wasThere = useRef(false);
  const isThere = openId !== null && (messages?.some(({ id }) => id === openId) ?? false);
  useEffect(() => {
    if (wasThere.current && !isThere && openId !== null) onGone();
    wasThere.current = isThere;
  }, [isThere, openId, onGone]);

  // Of those that wait some may be gone again, and one may have been opened by its address.
  const shown = messages?.filter(({ id }) => !held.has(id) || id === openId);
  const waiting = (messages?.length ?? 0) - (shown?.length ?? 0);
  return { messages: shown, waiting, showNew: () => setHeld(new Set()), error: list.error, live, unseen };
}

function newestFirst(a: InboxMessage, b: InboxMessage): number {
  return a.id < b.id ? 1 : -1;
}
