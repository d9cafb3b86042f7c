import type { EmailPattern } from './event-emails.js';

/** The email a pattern means for one event, or the path that leads nowhere in it. */
export function fillPattern(
  pattern: EmailPattern,
  event: object,
): { email: Record<string, unknown> } | { missing: string } {
  const missing: string[] = [];
  const fill = (value: unknown): unknown => {
    if (typeof value === 'string') return fillText(value);
    if (Array.isArray(value)) return value.map(fill).filter((item) => item !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, inner]) => [key, fill(inner)] as const)
        .filter(([, inner]) => inner !== undefined),
    );
  };
  const fillText = (text: string): unknown => {
    if (!text.startsWith('$')) return text;
    if (text.startsWith('$$')) return text.slice(1);
    const path = text.slice(1).replace(/\?$/, '');
    const found = follow(event, path.split('.'));
    if (found === undefined && !text.endsWith('?')) missing.push(path);
    return found;
  };
  const email = fill(pattern) as Record<string, unknown>;
  return missing.length > 0 ? { missing: missing.join(', ') } : { email };
}

/** Own properties only; null counts as missing. */
function follow(event: object, path: readonly string[]): unknown {
  let value: unknown = event;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value ?? undefined;
}
