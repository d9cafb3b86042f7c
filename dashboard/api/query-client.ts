/**
 * What is known of the server, kept for as long as it is fresh. Losing the session anywhere leads to signing in, over
 * the page as it was left; a server that is away is asked again, a refusal is not.
 */
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.js';

export const SESSION_KEY = ['session'] as const;

export function createQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 401) return;
    const state = client.getQueryState(SESSION_KEY);
    if (state?.status === 'success' && state.fetchStatus === 'idle')
      void client.invalidateQueries({ queryKey: SESSION_KEY });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        retry: (failures, error) => failures < 2 && mayHelp(error),
        staleTime: 2_000,
        refetchOnWindowFocus: true,
        // The server may well be on this very machine: without a network it is asked all the same.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return client;
}

function mayHelp(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 0 || error.status === 503);
}
