import { createHash, hash } from 'node:crypto';

/** Where ordinary content is put together to be hashed: joined texts would be five kilobytes of garbage an email. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);
const MOST_BYTES_OF_A_CHARACTER = 3;

/** What the worker compares: content that passed validation at intake need not be validated again. */
export function hashContent(content: { subject: string; html: string; text: string }): string {
  const { subject, html, text } = content;
  const head = `${subject.length}:${html.length}:${text.length}:${subject}`;
  if ((head.length + html.length + text.length) * MOST_BYTES_OF_A_CHARACTER <= scratch.length) {
    let end = scratch.write(head, 0);
    end += scratch.write(html, end);
    end += scratch.write(text, end);
    return hash('sha256', scratch.subarray(0, end), 'hex');
  }
  // In one piece a large one would be in memory once more.
  return createHash('sha256').update(head).update(html).update(text).digest('hex');
}
