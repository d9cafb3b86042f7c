/**
 * A list parameter in PostgreSQL's text form. The driver's own quotes and copies every number and id; a worker sends a
 * dozen such lists for each batch.
 */
export function arrayLiteral(values: ReadonlyArray<string | number | null>): string {
  let out = '{';
  for (let at = 0; at < values.length; at++) {
    const value = values[at];
    if (at > 0) out += ',';
    if (typeof value === 'string')
      out += `"${SPECIAL.test(value) ? value.replace(EACH_SPECIAL, '\\$&') : value}"`;
    else out += value ?? 'NULL';
  }
  return `${out}}`;
}

const SPECIAL = /["\\]/;
const EACH_SPECIAL = /["\\]/g;
