/** The filters of a page, kept in its address: they survive a reload, can be sent to someone, and go back with Back. */
import { useLocation, useSearch } from 'wouter';

export function useUrlState<Name extends string>(
  names: readonly Name[],
): [Partial<Record<Name, string>>, (changes: Partial<Record<Name, string | null>>) => void] {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const params = new URLSearchParams(search);
  const state: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = params.get(name);
    if (value !== null && value !== '') state[name] = value;
  }
  const change = (changes: Partial<Record<Name, string | null>>) => {
    const next = new URLSearchParams(search);
    for (const [name, value] of Object.entries<string | null | undefined>(changes)) {
      if (value === null || value === undefined || value === '') next.delete(name);
      else next.set(name, value);
    }
    const query = next.toString();
    navigate(query === '' ? path : `${path}?${query}`);
  };
  return [state, change];
}
