/**
 * Values of a row read over the caller's own transaction, where the application may have told its driver to leave
 * times and JSON as text.
 */
export function asIso(at: Date | string): string {
  return new Date(at).toISOString();
}

export function asObject(value: Record<string, unknown> | string): Record<string, unknown> {
  return typeof value === 'string' ? (JSON.parse(value) as Record<string, unknown>) : value;
}
