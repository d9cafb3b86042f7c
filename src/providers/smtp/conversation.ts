import type { SmtpReply } from './reply-reader.js';

/**
 * What both sides said during one attempt, for the timeline. Bounded: the first lines and the last
 * ones are kept. The caller gives masked text for credentials; the message itself never comes here.
 * Written out only when somebody wants to read it, which for an email that simply goes nobody does.
 */
export class Conversation {
  private readonly head: Array<string | SmtpReply> = [];
  private readonly tail: Array<string | SmtpReply> = [];
  private skipped = 0;

  client(line: string): void {
    this.add(line.length > MAX_LINE ? oneLine(line, MAX_LINE) : line);
  }

  server(reply: SmtpReply): void {
    this.add(
      reply.bytes > MAX_LINE ? { ...reply, lines: [oneLine(reply.lines.join(' / '), MAX_LINE)] } : reply,
    );
  }

  lines(): string[] {
    const head = this.head.map(asLine);
    const tail = this.tail.map(asLine);
    return this.skipped === 0 ? [...head, ...tail] : [...head, `… ${this.skipped} lines left out`, ...tail];
  }

  private add(line: string | SmtpReply): void {
    if (this.head.length < HEAD_LINES) {
      this.head.push(line);
      return;
    }
    this.tail.push(line);
    if (this.tail.length > TAIL_LINES) {
      this.tail.shift();
      this.skipped += 1;
    }
  }
}

const HEAD_LINES = 30;
const TAIL_LINES = 10;
const MAX_LINE = 300;

function asLine(line: string | SmtpReply): string {
  const text = typeof line === 'string' ? `C: ${line}` : `S: ${line.code} ${line.lines.join(' / ')}`;
  return oneLine(text, MAX_LINE);
}

/** Text of unknown origin as one bounded line without control characters. */
export function oneLine(text: string, max: number): string {
  const clean = CONTROL.test(text) ? text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ') : text;
  return clean.length > max ? `${clean.slice(0, max - 1)}…` : clean;
}

const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
