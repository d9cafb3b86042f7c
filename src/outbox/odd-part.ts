/**
 * Which part of an opened email is not as intake writes it, or null. The tables take any JSON, so a row that came by another
 * hand may hold any: it must end by itself, and not in an error of the batch it is opened with.
 */
export function oddPartOf({ message, attachments, remaining }: Parts): string | null {
  if (!isObject(message)) return 'message';
  const { to, cc, bcc, headerRecipients, replyTo, from, category, essential, traceparent } = message;
  if (!isMailboxList(to)) return 'to';
  if (cc !== undefined && !isMailboxList(cc)) return 'cc';
  if (bcc !== undefined && !isMailboxList(bcc)) return 'bcc';
  if (headerRecipients !== undefined && !isHeaderRecipients(headerRecipients)) return 'headerRecipients';
  if (replyTo !== undefined && !isMailboxList(replyTo)) return 'replyTo';
  if (from !== undefined && !isMailbox(from)) return 'from';
  if (category !== undefined && typeof category !== 'string') return 'category';
  if (essential !== undefined && typeof essential !== 'boolean') return 'essential';
  if (traceparent !== undefined && typeof traceparent !== 'string') return 'traceparent';
  if (attachments !== null && !(Array.isArray(attachments) && attachments.every(isFile)))
    return 'attachments';
  if (remaining !== null && !(remaining.length > 0 && remaining.every(isText))) return 'remaining';
  return null;
}

interface Parts {
  message: unknown;
  attachments: unknown;
  remaining: readonly unknown[] | null;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMailboxList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isMailbox);
}

function isHeaderRecipients(value: unknown): boolean {
  return isObject(value) && isMailboxList(value.to) && isMailboxList(value.cc);
}

function isMailbox(value: unknown): boolean {
  if (!isObject(value) || typeof value.address !== 'string') return false;
  return value.name === undefined || typeof value.name === 'string';
}

function isFile(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { filename, contentType, contentId, content } = value;
  return (
    typeof filename === 'string' &&
    typeof contentType === 'string' &&
    typeof content === 'string' &&
    (contentId === undefined || typeof contentId === 'string')
  );
}
