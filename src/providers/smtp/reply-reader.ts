/**
 * Turns the bytes a server sends into replies, however they were cut into chunks.
 * Promises bounded memory: a line or a reply beyond its cap, or a line that is no SMTP reply, ends
 * the reading for good.
 */
export class ReplyReader {
  private carry = '';
  private lines: string[] = [];
  private code = 0;
  private replyBytes = 0;

  /** The complete replies in this chunk; `violation` says why no further byte may be trusted. */
  push(chunk: Buffer, size = chunk.length): { replies: SmtpReply[]; violation?: string } {
    const replies: SmtpReply[] = [];
    const text = this.carry + chunk.toString('latin1', 0, size);
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
      start = end + 1;
      const violation = this.take(line, replies);
      if (violation) return { replies, violation };
    }
    this.carry = text.slice(start);
    if (this.carry.length > MAX_LINE_BYTES) return { replies, violation: 'reply line too long' };
    return { replies };
  }

  /** True when part of a reply has arrived. */
  get midReply(): boolean {
    return this.carry !== '' || this.lines.length > 0;
  }

  private take(line: string, replies: SmtpReply[]): string | undefined {
    if (line.length > MAX_LINE_BYTES) return 'reply line too long';
    this.replyBytes += line.length;
    if (this.replyBytes > MAX_REPLY_BYTES) return 'reply too long';
    if (!REPLY_LINE.test(line)) return 'not an SMTP reply';
    const code = Number(line.slice(0, 3));
    if (this.lines.length > 0 && code !== this.code) return 'reply with two codes';
    this.code = code;
    this.lines.push(decode(line.slice(4)));
    if (line[3] === '-') return undefined;
    replies.push({ code, lines: this.lines, bytes: this.replyBytes });
    this.lines = [];
    this.replyBytes = 0;
    return undefined;
  }
}

export interface SmtpReply {
  code: number;
  /** The text of each line, without the code. */
  lines: string[];
  bytes: number;
}

// RFC 5321 asks for 512 octets; real servers put links and explanations there.
const MAX_LINE_BYTES = 4096;
const MAX_REPLY_BYTES = 32 * 1024;
const REPLY_LINE = /^[2-5]\d\d(?:[ -].*)?$/s;

function decode(text: string): string {
  return /[\x80-\xff]/.test(text) ? Buffer.from(text, 'latin1').toString('utf8') : text;
}
