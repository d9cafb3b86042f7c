/** A parameter as PostgreSQL reads it from text, lists included, for drivers whose own ways with them differ. */
export function parameterText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return `{${value.map(elementText).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function elementText(value: unknown): string {
  const text = parameterText(value);
  if (text === null) return 'NULL';
  return Array.isArray(value) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}
