/**
 * The wall time a Retry-After header asks for: seconds or an HTTP date. Undefined where there is none,
 * it cannot be read or lies in the past; at most a day from now, whatever it says.
 */
export function parseRetryAfter(value: string | null | undefined, nowMs: number): number | undefined {
  const text = value?.trim();
  if (!text) return undefined;
  const at = /^\d+(?:\.\d+)?$/.test(text) ? nowMs + Math.ceil(Number(text) * 1000) : Date.parse(text);
  return at > nowMs ? Math.min(at, nowMs + DAY_MS) : undefined;
}

const DAY_MS = 86_400_000;
