/**
 * What both sides said during one attempt, for the timeline. Bounded: the first lines and the last
 * ones are kept. The caller gives masked text for credentials; the message itself never comes here.
 */
export class Conversation {
  private readonly head: string[] = [];
  private readonly tail: string[] = [];
  private skipped = 0;

  client(line: string): void {
    this.add(`C: ${line}`);
  }

  server(code: number, text: string): void {
    this.add(`S: ${code} ${text}`);
  }

  lines(): string[] {
    if (this.skipped === 0) return [...this.head, ...this.tail];
    return [...this.head, `… ${this.skipped} lines left out`, ...this.tail];
  }

  private add(line: string): void {
    const bounded = oneLine(line, MAX_LINE);
    if (this.head.length < HEAD_LINES) {
      this.head.push(bounded);
      return;
    }
    this.tail.push(bounded);
    if (this.tail.length > TAIL_LINES) {
      this.tail.shift();
      this.skipped += 1;
    }
  }
}

const HEAD_LINES = 30;
const TAIL_LINES = 10;
const MAX_LINE = 300;

/** Text of unknown origin as one bounded line without control characters. */
export function oneLine(text: string, max: number): string {
  const clean = CONTROL.test(text) ? text.replace(/[\x00-\x1f\x7f-\x9f]+/g, ' ') : text;
  return clean.length > max ? `${clean.slice(0, max - 1)}…` : clean;
}

const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
