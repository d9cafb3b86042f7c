import type { NewEmail } from './new-email.js';

/** What the tables hold of an email, however it is written. */
export function messageJson(email: NewEmail): string {
  const { from, replyTo, to, cc, bcc, headers, category, essential, traceparent } = email;
  // What is undefined is not written.
  return JSON.stringify({
    from: from ?? undefined,
    replyTo: replyTo.length > 0 ? replyTo : undefined,
    to,
    cc: cc.length > 0 ? cc : undefined,
    bcc: bcc.length > 0 ? bcc : undefined,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    category: category ?? undefined,
    essential: essential || undefined,
    traceparent: traceparent ?? undefined,
  });
}

export function sizeOf(email: NewEmail): number {
  let bytes = Buffer.byteLength(email.html) + Buffer.byteLength(email.text);
  for (const attachment of email.attachments) bytes += attachment.content.length;
  return bytes;
}

export function attachmentsJson({ attachments }: NewEmail): string | null {
  return attachments.length > 0 ? JSON.stringify(attachments) : null;
}
