/** A list of the API by its filters, asked for in one way by every page; `again` after something in it was changed. */
import { type Query as Kept, useQuery, useQueryClient } from '@tanstack/react-query';
import { callApi, type Query } from '../api/call-api.js';

export interface ListOptions<Answer> {
  query?: Query;
  /** How often it is looked at again, by what it says. */
  everyMs?: number | ((answer: Answer | undefined) => number);
}

export function useList<Answer>(
  name: string,
  path: string,
  { query = {}, everyMs }: ListOptions<Answer> = {},
) {
  const queries = useQueryClient();
  const list = useQuery({
    queryKey: [name, query],
    queryFn: ({ signal }) => callApi<Answer>('GET', path, { query, signal }),
    refetchInterval: (kept: Kept<Answer>) =>
      (typeof everyMs === 'function' ? everyMs(kept.state.data) : everyMs) ?? false,
  });
  return {
    answer: list.data,
    /** What a table needs beside its rows. */
    asked: { error: list.error, onRetry: () => void list.refetch() },
    again: () => queries.invalidateQueries({ queryKey: [name] }),
  };
}
