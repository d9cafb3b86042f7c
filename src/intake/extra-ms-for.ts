/**
 * How much longer than a small email these may take to be written before a silent database counts as away.
 * Judges by what is there, also of input nobody has checked yet.
 */
export function extraMsFor(emails: readonly unknown[]): number {
  const characters = emails.reduce<number>((sum, email) => sum + sizeOf(email), 0);
  return Math.ceil((emails.length - 1) * MS_PER_EMAIL + characters / CHARACTERS_PER_MS);
}

const MS_PER_EMAIL = 5;
const CHARACTERS_PER_MS = 5000;

function sizeOf(email: unknown): number {
  const { html, text, attachments } = (email ?? {}) as Record<string, unknown>;
  let size = lengthOf(html) + lengthOf(text);
  if (!Array.isArray(attachments)) return size;
  for (const file of attachments as unknown[])
    size += lengthOf((file as { content?: unknown } | null)?.content);
  return size;
}

function lengthOf(part: unknown): number {
  return typeof part === 'string' ? part.length : 0;
}
