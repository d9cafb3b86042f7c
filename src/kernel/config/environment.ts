/**
 * The only reader of the process environment. Everything else is given it, so tests and embedding
 * applications decide what is seen.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

export function environment(): Environment {
  return { ...process.env };
}
