/**
 * The allow-list of a staging system: nobody outside these domains is written to. A domain stands for
 * itself alone, not for those below it. Returns the first address that is outside, or null.
 */
export function findNotAllowed(
  addresses: readonly string[],
  domains: readonly string[] | null,
): string | null {
  if (domains === null) return null;
  const inside = (address: string) =>
    domains.includes(address.slice(address.lastIndexOf('@') + 1).toLowerCase());
  return addresses.find((address) => !inside(address)) ?? null;
}
