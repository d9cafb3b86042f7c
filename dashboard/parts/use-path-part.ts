/** A named part of the address, as it was before it was written into it; names may hold colons, at signs and slashes. */
import { useParams } from 'wouter';

export function usePathPart(name: string): string {
  const part = useParams<Record<string, string>>()[name] ?? '';
  try {
    return decodeURIComponent(part);
  } catch {
    // A lone percent sign in a name that came decoded.
    return part;
  }
}
