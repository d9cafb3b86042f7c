import { invalidPayload } from '../../kernel/index.js';
import type { StoredContent } from './parse-stored-template.js';

/**
 * A stored template with values in place of `{{{VARIABLES}}}`: plain substitution in subject, HTML and text, as Resend
 * does it; a value is not looked at again. One that is neither given nor has a fallback is refused by name.
 */
export interface FilledTemplate {
  id: string;
  subject?: string;
  html: string;
  text?: string;
  from?: string;
  replyTo?: string[];
}

export function fillTemplate(id: string, content: StoredContent, values: unknown): FilledTemplate {
  const given = valuesOf(values);
  const fallbacks = new Map(content.variables.map(({ key, fallback }) => [key, fallback]));
  const find = (key: string) => {
    const value = given.get(key) ?? fallbacks.get(key) ?? null;
    return value === null ? null : String(value);
  };
  const missing = (key: string): never => {
    throw invalidPayload(`template.variables.${key}`, 'is missing');
  };
  const fill = (text: string) => fillPlaceholders(text, find, missing);
  return {
    id,
    html: fill(content.html),
    ...(content.subject !== null && { subject: fill(content.subject) }),
    ...(content.text !== null && { text: fill(content.text) }),
    ...(content.from !== null && { from: content.from }),
    ...(content.replyTo !== null && { replyTo: content.replyTo }),
  };
}

/** `{{{KEY}}}` and `{{{KEY|otherwise}}}`; what has no value and no alternative is for `missing` to say. */
export function fillPlaceholders(
  text: string,
  find: (key: string) => string | null,
  missing: (key: string) => string,
): string {
  return text.replace(
    PLACEHOLDER,
    (_all, key: string, otherwise: string | undefined) => find(key) ?? otherwise ?? missing(key),
  );
}

const PLACEHOLDER = /\{\{\{\s*([A-Za-z][A-Za-z0-9_.]{0,49})\s*(?:\|([^{}]{0,2000}))?\}\}\}/g;
const MAX_VALUE = 2000;

function valuesOf(values: unknown): Map<string, string | number> {
  if (values === undefined || values === null) return new Map();
  if (typeof values !== 'object' || Array.isArray(values))
    throw invalidPayload('template.variables', 'must be an object');
  return new Map(
    Object.entries(values).map(([key, value]) => {
      const field = `template.variables.${key.slice(0, 50)}`;
      if (typeof value !== 'string' && typeof value !== 'number')
        throw invalidPayload(field, 'must be text or a number');
      if (typeof value === 'string' && value.length > MAX_VALUE)
        throw invalidPayload(field, `is longer than ${MAX_VALUE} characters`);
      return [key, value];
    }),
  );
}
