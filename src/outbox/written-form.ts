import type { NewEmail } from './new-email.js';

/** What everybody reads instead of the subject of a sensitive email, which stands with its body. */
export const HIDDEN_SUBJECT = '(hidden)';

/** What the tables hold of an email, however it is written. */
export function messageJson(email: NewEmail): string {
  const { from, replyTo, to, cc, bcc, headerRecipients, headers, category, essential, traceparent } = email;
  // What is undefined is not written.
  return JSON.stringify({
    from: from ?? undefined,
    replyTo: replyTo.length > 0 ? replyTo : undefined,
    to,
    cc: cc.length > 0 ? cc : undefined,
    bcc: bcc.length > 0 ? bcc : undefined,
    headerRecipients: headerRecipients ?? undefined,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    category: category ?? undefined,
    essential: essential || undefined,
    traceparent: traceparent ?? undefined,
  });
}

/** The first it reaches; a share of a message may have nobody in To. */
export function firstAddressOf({ to, cc, bcc }: NewEmail): string {
  return (to[0] ?? cc[0] ?? bcc[0])?.address ?? '';
}

export function sizeOf(email: NewEmail): number {
  let bytes = Buffer.byteLength(email.html) + Buffer.byteLength(email.text);
  for (const attachment of email.attachments) bytes += attachment.content.length;
  return bytes;
}

/** In pieces: a file is not copied to stand in its JSON. Its content is strict base64, which JSON writes as it is. */
export function attachmentsJson({ attachments }: NewEmail): string[] | null {
  if (attachments.length === 0) return null;
  const pieces = attachments.flatMap(({ content, ...about }, index) => [
    `${index === 0 ? '[' : ','}${JSON.stringify(about).slice(0, -1)},"content":"`,
    content,
    '"}',
  ]);
  return [...pieces, ']'];
}
