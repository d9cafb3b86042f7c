/** Who is looking, and what they may do. Pages ask `may` before they show a button; the API decides in any case. */
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { SessionAnswer } from '../../src/doors/http/session-routes.js';
import { callApi } from './call-api.js';
import { SESSION_KEY } from './query-client.js';

export type Session = SessionAnswer;

/** `look` at everything, `operate` what runs, `administer` who may do what. */
export type Right = 'look' | 'operate' | 'administer';

const RIGHTS: Record<Session['role'], readonly Right[]> = {
  root: ['look', 'operate', 'administer'],
  admin: ['look', 'operate', 'administer'],
  operator: ['look', 'operate'],
  viewer: ['look'],
};

export function useSessionQuery() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => readSession(signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
}

export function readSession(signal?: AbortSignal): Promise<Session> {
  return callApi<Session>('GET', '/admin/session', signal ? { signal } : {});
}

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session & { may(right: Right): boolean } {
  const session = useContext(SessionContext);
  if (!session) throw new Error('A page is shown to nobody.');
  return { ...session, may: (right) => RIGHTS[session.role].includes(right) };
}
