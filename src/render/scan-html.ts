/**
 * Splits HTML into text and tags in one pass without building anything, for making text out of it. Promises linear
 * time and no recursion. It reads well-made HTML as the standard does and ends where a tag or comment is never
 * closed; it is no judge of what is safe (policy has a full parser for that).
 */
export function scanHtml(html: string, reader: HtmlReader): void {
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    if (tag === -1) {
      reader.text(html.slice(at));
      return;
    }
    if (tag > at) reader.text(html.slice(at, tag));
    at = scanTag(html, tag, reader);
  }
}

/**
 * The position after the first start tag of this name, or -1 where there is none. A tag inside a comment, a value or
 * raw text is none. The name is in lower case and not one of raw text.
 */
export function endOfStartTag(html: string, name: string): number {
  let isFound = false;
  const reader: HtmlReader = {
    text() {},
    close() {},
    open(found) {
      isFound = found === name;
    },
  };
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at)) {
    at = scanTag(html, at, reader);
    if (isFound) return at;
  }
  return -1;
}

export interface HtmlReader {
  /** Text between tags, its references not decoded. */
  text(raw: string): void;
  open(name: string, attributes: string): void;
  close(name: string): void;
}

const NAME = /[a-z][^\s/>]*/iy;
const RAW_TEXT = new Set(['style', 'script', 'title', 'textarea', 'iframe', 'noembed', 'noframes', 'xmp']);

/** Reads what begins at `<` and answers where it ends. */
function scanTag(html: string, start: number, reader: HtmlReader): number {
  const next = html[start + 1];
  if (next === '!' && html.startsWith('<!--', start)) return after(html, '-->', start + 2);
  if (next === '!' || next === '?') return after(html, '>', start);
  const isEnd = next === '/';
  NAME.lastIndex = start + (isEnd ? 2 : 1);
  const name = NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) {
    if (isEnd) return after(html, '>', start);
    let end = start + 1;
    while (html[end] === '<') end += 1;
    // The last of several may begin a tag.
    if (end > start + 1) end -= 1;
    reader.text(html.slice(start, end));
    return end;
  }
  const end = endOfTag(html, NAME.lastIndex);
  if (end === html.length && html[end - 1] !== '>') return end;
  if (isEnd) {
    reader.close(name);
    return end;
  }
  reader.open(name, html.slice(start + 1 + name.length, end - 1));
  return RAW_TEXT.has(name) ? endOfRawText(html, end, name) : end;
}

/** A quote counts only as the beginning of a value, so an apostrophe elsewhere swallows nothing. */
function endOfTag(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const character = html[at];
    if (character === '>') return at + 1;
    if (character !== '=') continue;
    while (isSpace(html[at + 1])) at += 1;
    const quote = html[at + 1];
    if (quote !== '"' && quote !== "'") continue;
    const close = html.indexOf(quote, at + 2);
    if (close === -1) return html.length;
    at = close;
  }
  return html.length;
}

function endOfRawText(html: string, from: number, name: string): number {
  const end = new RegExp(`</${name}(?=[\\s/>])`, 'ig');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

function after(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from);
  return found === -1 ? html.length : found + mark.length;
}

function isSpace(character: string | undefined): boolean {
  return (
    character === ' ' || character === '\n' || character === '\t' || character === '\r' || character === '\f'
  );
}
