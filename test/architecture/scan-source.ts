/**
 * Reads TypeScript just far enough for the rules: which stretches are code, which are comments, strings,
 * templates and regular expressions. It is no parser; it promises that nothing inside a comment, string or
 * regular expression is taken for code, and that code inside `${}` is.
 */
export interface Scan {
  /** The text with comments and the insides of literals blanked; positions are those of the text. */
  code: string;
  literals: Literal[];
}

export interface Literal {
  /** Position of the opening quote. */
  start: number;
  /** What is between the quotes, as written; a template keeps its `${…}`. */
  value: string;
}

export function scanSource(text: string): Scan {
  const blanked: Array<[number, number]> = [];
  const literals: Literal[] = [];

  /** Reads code from `i` to the end, or to the `}` that closes a `${`; returns the position after. */
  const readCode = (from: number, inTemplate: boolean): number => {
    let depth = 0;
    let i = from;
    while (i < text.length) {
      const c = text[i]!;
      if (text.startsWith('//', i)) i = blank(i, lineEnd(i));
      else if (text.startsWith('/*', i)) i = blank(i, after('*/', i + 2));
      else if (c === "'" || c === '"') i = readString(i, c);
      else if (c === '`') i = readTemplate(i);
      else if (c === '/' && startsRegex(text.slice(Math.max(0, i - 40), i))) i = readRegex(i);
      else if (inTemplate && c === '}' && depth === 0) return i + 1;
      else {
        if (c === '{') depth++;
        if (c === '}') depth--;
        i++;
      }
    }
    return i;
  };
  const readString = (start: number, quote: string): number => {
    let i = start + 1;
    while (i < text.length && text[i] !== quote && text[i] !== '\n') i += text[i] === '\\' ? 2 : 1;
    literals.push({ start, value: text.slice(start + 1, i) });
    blank(start + 1, i);
    return i + 1;
  };
  const readTemplate = (start: number): number => {
    let i = start + 1;
    let plain = i;
    while (i < text.length && text[i] !== '`') {
      if (text.startsWith('${', i)) {
        blank(plain, i);
        i = plain = readCode(i + 2, true);
      } else i += text[i] === '\\' ? 2 : 1;
    }
    blank(plain, i);
    literals.push({ start, value: text.slice(start + 1, i) });
    return i + 1;
  };
  const readRegex = (start: number): number => {
    let i = start + 1;
    let inClass = false;
    while (i < text.length && text[i] !== '\n' && (inClass || text[i] !== '/')) {
      if (text[i] === '[') inClass = true;
      if (text[i] === ']') inClass = false;
      i += text[i] === '\\' ? 2 : 1;
    }
    return blank(start, i + 1);
  };
  const blank = (from: number, to: number): number => {
    if (to > from) blanked.push([from, to]);
    return to;
  };
  const lineEnd = (from: number) => after('\n', from) - 1;
  const after = (mark: string, from: number): number => {
    const at = text.indexOf(mark, from);
    return at === -1 ? text.length + mark.length - 1 : at + mark.length;
  };

  readCode(0, false);
  return { code: blankOut(text, blanked), literals: literals.sort((a, b) => a.start - b.start) };
}

/** A slash opens a regular expression unless what stands before it is a value. */
function startsRegex(before: string): boolean {
  const trimmed = before.trimEnd();
  if (/\b(return|typeof|case|in|of|await|yield|void|delete|else|do)$/.test(trimmed)) return true;
  return !/[\w$)\]'"`]$/.test(trimmed);
}

function blankOut(text: string, ranges: Array<[number, number]>): string {
  let code = '';
  let at = 0;
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    code += text.slice(at, from) + text.slice(from, to).replace(/[^\n]/g, ' ');
    at = Math.max(at, to);
  }
  return code + text.slice(at);
}
