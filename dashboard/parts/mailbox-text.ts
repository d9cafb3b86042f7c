/** Mailboxes as people write them; null for none. */
export function mailboxes(list: ReadonlyArray<{ address: string; name?: string | null }>): string | null {
  if (list.length === 0) return null;
  return list.map(({ address, name }) => (name ? `${name} <${address}>` : address)).join(', ');
}
