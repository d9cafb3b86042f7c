/**
 * What was typed and not yet saved, kept in this tab for this person: it is there again after another page, a reload,
 * or signing in anew. Where the browser keeps nothing it lasts as long as the page.
 */
import { useState } from 'react';
import { useSession } from '../api/session.js';

const PREFIX = 'postrider-kept ';

export interface Kept<Value> {
  /** What was there when the page was opened; undefined where nothing was kept. */
  found: Value | undefined;
  keep(value: Value): void;
  forget(): void;
}

export function useKept<Value>(name: string): Kept<Value> {
  const key = useKey(name);
  const [found] = useState(() => readKept<Value>(key));
  return {
    found,
    keep: (value) => inStore((store) => store.setItem(key, JSON.stringify(value))),
    forget: () => inStore((store) => store.removeItem(key)),
  };
}

export function useIsKept(name: string): boolean {
  const key = useKey(name);
  return inStore((store) => store.getItem(key) !== null) ?? false;
}

function useKey(name: string): string {
  const { adminId } = useSession();
  return `${PREFIX}${adminId ?? 'open'} ${name}`;
}

/** Nothing stays in the tab for whoever comes next. */
export function forgetKept(): void {
  inStore((store) => {
    for (const key of Object.keys(store)) if (key.startsWith(PREFIX)) store.removeItem(key);
  });
}

function readKept<Value>(key: string): Value | undefined {
  const text = inStore((store) => store.getItem(key));
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text) as Value;
  } catch {
    // Not ours, or cut off: as if nothing had been kept.
    return undefined;
  }
}

/** A browser may forbid it, or be full. */
function inStore<Result>(act: (store: Storage) => Result): Result | undefined {
  try {
    return act(sessionStorage);
  } catch {
    return undefined;
  }
}
