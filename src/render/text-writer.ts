/**
 * Lays out plain text: white space collapses, blocks are set apart by at most one empty line, lines wrap at a width
 * between words (never inside one, so links stay whole). Preformatted text keeps its own lines and spaces.
 */
export class TextWriter {
  private readonly lines: string[] = [];
  private line = '';
  private isSpacePending = false;

  constructor(private readonly width: number) {}

  write(text: string, isPreformatted = false): void {
    if (isPreformatted) {
      this.writePreformatted(text);
      return;
    }
    if (SPACE.test(text[0] ?? '')) this.isSpacePending = true;
    for (const word of text.split(SPACES)) {
      if (word === '') continue;
      this.writeWord(word);
      this.isSpacePending = true;
    }
    this.isSpacePending = text === '' ? this.isSpacePending : SPACE.test(text[text.length - 1]!);
  }

  /** Ends the line if anything stands on it. */
  breakLine(): void {
    if (this.line !== '') this.newLine();
    this.isSpacePending = false;
  }

  /** Ends the line and leaves one empty line before what follows. */
  breakParagraph(): void {
    this.breakLine();
    if (this.lines.length > 0 && this.lines[this.lines.length - 1] !== '') this.lines.push('');
  }

  /** Ends the line even when it is empty, but never makes two empty lines. */
  newLine(): void {
    const line = this.line.trimEnd();
    if (line !== '' || (this.lines.length > 0 && this.lines[this.lines.length - 1] !== ''))
      this.lines.push(line);
    this.line = '';
    this.isSpacePending = false;
  }

  finish(): string {
    this.breakLine();
    while (this.lines[this.lines.length - 1] === '') this.lines.pop();
    return this.lines.join('\n');
  }

  private writeWord(word: string): void {
    if (this.isSpacePending && this.line !== '') {
      if (this.line.length + 1 + word.length > this.width) this.newLine();
      else if (!this.line.endsWith(' ')) this.line += ' ';
    }
    this.line += word;
  }

  private writePreformatted(text: string): void {
    const [first = '', ...rest] = text.split(/\r\n?|\n/);
    this.line += first;
    for (const next of rest) {
      this.lines.push(this.line.trimEnd());
      this.line = next;
    }
    this.isSpacePending = false;
  }
}

/** HTML's white space; a no-break space is a character like any other. */
const SPACE = /[ \t\n\r\f]/;
const SPACES = /[ \t\n\r\f]+/;
