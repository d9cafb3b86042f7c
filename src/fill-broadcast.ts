import type { UnsubscribeUrl } from './intake/index.js';
import type { Contact } from './recipients/index.js';
import {
  endOfStartTag,
  escapeHtml,
  fillPlaceholders,
  type Placeholder,
  readPlaceholders,
} from './render/index.js';
import type { BroadcastContent, BroadcastScheduleParts } from './schedules/index.js';

/**
 * A broadcast's content, read once and filled for each person: `{{{FIRST_NAME|there}}}`, their properties, and the
 * link to unsubscribe. What a person is called is text, wherever and in however many braces it stands; for what nobody
 * knows of them stands what the placeholder gives, else what their company gives for the property, else nothing.
 */
export function fillBroadcast(unsubscribeUrl: UnsubscribeUrl | null): BroadcastScheduleParts['fill'] {
  return (content, { companyId, broadcastId, category, fallbacks }) => {
    const subject = readPlaceholders(content.subject ?? '');
    const html = content.html === null ? null : readPlaceholders(withPreview(content.html, content));
    const text = content.text === null ? null : readPlaceholders(content.text);
    return (contact) => {
      const { email: address } = contact;
      const link =
        unsubscribeUrl?.({ id: broadcastId, tenant: companyId, address, category, lang: null }) ?? '';
      const values = valuesOf(contact, link);
      const valueFor = ({ key, otherwise }: Placeholder) =>
        values.get(nameOf(key)) || (otherwise ?? fallbacks.get(nameOf(key)) ?? '');
      const escaped = ({ key, otherwise }: Placeholder) => {
        const value = values.get(nameOf(key));
        if (value) return escapeHtml(value);
        return otherwise ?? escapeHtml(fallbacks.get(nameOf(key)) ?? '');
      };
      return {
        subject: fillPlaceholders(subject, 'subject', valueFor),
        ...(html !== null && { html: fillPlaceholders(html, 'html', escaped) }),
        ...(text !== null && { text: fillPlaceholders(text, 'text', valueFor) }),
      };
    };
  };
}

const nameOf = (key: string) => key.toUpperCase().replace(/^CONTACT\./, '');

function valuesOf({ email, firstName, lastName, properties }: Contact, link: string): Map<string, string> {
  return new Map([
    ...Object.entries(properties).map(([key, value]) => [key.toUpperCase(), String(value)] as const),
    ['EMAIL', email],
    ['FIRST_NAME', firstName ?? ''],
    ['LAST_NAME', lastName ?? ''],
    ['RESEND_UNSUBSCRIBE_URL', link],
    ['UNSUBSCRIBE_URL', link],
  ]);
}

/** What mail programs show beside the subject, hidden in the email itself. */
function withPreview(html: string, { previewText }: BroadcastContent): string {
  if (previewText === null) return html;
  const hidden = `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(previewText)}</div>`;
  const body = Math.max(0, endOfStartTag(html, 'body'));
  return html.slice(0, body) + hidden + html.slice(body);
}
