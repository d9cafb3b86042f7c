import { invalidPayload } from '../../kernel/index.js';
import { escapeHtml } from '../escape-html.js';
import { MAX_VALUE, type StoredContent } from './parse-stored-template.js';
import { fillPlaceholders, type Placeholder, readPlaceholders } from './placeholders.js';

/**
 * A stored template with values in place of its variables. In HTML `{{VARIABLE}}` is text and `{{{VARIABLE}}}` is HTML, put
 * in as it is, which Resend's clients expect; subject and text are no HTML, so both are put in as they are. A value is
 * not looked at again. One that is neither given nor has a fallback is refused by name.
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
  const known = (key: string) => given.get(key) ?? fallbacks.get(key) ?? undefined;
  const valueFor = ({ key, otherwise }: Placeholder) => {
    const value = known(key) ?? otherwise;
    if (value === undefined) throw invalidPayload(`template.variables.${key}`, 'is missing');
    return String(value);
  };
  const fill = (text: string, field: string) => fillPlaceholders(readPlaceholders(text), field, valueFor);
  const inHtml = (placeholder: Placeholder) => {
    const value = valueFor(placeholder);
    // The alternative is written in the template, and as much HTML as the rest of it.
    return placeholder.raw || known(placeholder.key) === undefined ? value : escapeHtml(value);
  };
  return {
    id,
    html: fillPlaceholders(readPlaceholders(content.html), 'html', inHtml),
    ...(content.subject !== null && { subject: fill(content.subject, 'subject') }),
    ...(content.text !== null && { text: fill(content.text, 'text') }),
    ...(content.from !== null && { from: content.from }),
    ...(content.replyTo !== null && { replyTo: content.replyTo }),
  };
}

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
