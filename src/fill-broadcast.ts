import type { UnsubscribeUrl } from './intake/index.js';
import type { Contact } from './recipients/index.js';
import { escapeHtml, fillPlaceholders } from './render/index.js';
import type { BroadcastContent, BroadcastScheduleParts } from './schedules/index.js';

/**
 * A broadcast's content for one person: `{{{FIRST_NAME|there}}}`, their properties, and the link to unsubscribe. What a
 * person is called is text, wherever it stands; for what nobody
 * knows of them stands what the placeholder gives, else what their company gives for the property, else nothing.
 */
export function fillBroadcast(unsubscribeUrl: UnsubscribeUrl | null): BroadcastScheduleParts['fill'] {
  return (content, contact, { companyId, broadcastId, category, fallbacks }) => {
    const link =
      unsubscribeUrl?.({
        id: broadcastId,
        tenant: companyId,
        address: contact.email,
        category,
        lang: null,
      }) ?? '';
    const values = valuesOf(contact, link);
    const fill = (text: string, written: (value: string) => string) =>
      fillPlaceholders(
        text,
        (key) => {
          const value = values.get(nameOf(key));
          return value === undefined || value === '' ? null : written(value);
        },
        (key) => written(fallbacks.get(nameOf(key)) ?? ''),
      );
    const asIs = (value: string) => value;
    return {
      subject: fill(content.subject ?? '', asIs),
      ...(content.html !== null && { html: fill(withPreview(content), escapeHtml) }),
      ...(content.text !== null && { text: fill(content.text, asIs) }),
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
function withPreview({ html, previewText }: BroadcastContent): string {
  if (previewText === null) return html ?? '';
  const hidden = `<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(previewText)}</div>`;
  return /<body[^>]*>/i.test(html ?? '')
    ? html!.replace(/<body[^>]*>/i, (tag) => tag + hidden)
    : hidden + html;
}
