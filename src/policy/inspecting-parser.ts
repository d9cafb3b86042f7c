import { createRequire } from 'node:module';
import type * as Parse5 from 'parse5';
import type { DefaultTreeAdapterMap, Token, TokenHandler } from 'parse5';
import { inspectCss } from './inspect-css.js';
import { inspectTag } from './inspect-tag.js';
import { isSurelyInert } from './is-surely-inert.js';

/**
 * Reads HTML the way mail clients do and hands every tag, style sheet and comment to the rules; answers the first
 * finding or null. Each piece is read as the standard says, with scripting off and on, and once more by a tokenizer
 * that knows no raw text, because clients differ there and a tag can hide from one reading inside another's string.
 * Comments and srcdoc values are read as HTML of their own. Nothing recurses; what exceeds the limits is a finding.
 */
export function inspectMarkup(html: string): string | null {
  const pending: Piece[] = [{ markup: html, depth: 0 }];
  const seen = new Set<string>();
  for (let piece = pending.pop(); piece !== undefined; piece = pending.pop()) {
    const { markup, depth } = piece;
    if (depth > MAX_EMBEDDING) return 'has comments nested too deeply to be checked';
    const inner = new Set<string>();
    const finding = readEveryWay(markup, inner);
    if (finding !== null) return depth === 0 ? finding : `${finding} inside a comment or srcdoc`;
    for (const text of inner) {
      if (seen.has(text) || isSurelyInert(text)) continue;
      seen.add(text);
      pending.push({ markup: text, depth: depth + 1 });
    }
  }
  return null;
}

interface Piece {
  markup: string;
  depth: number;
}

const MAX_EMBEDDING = 4;
const MAX_NESTING = 500;
const MAX_ELEMENTS = 150_000;
/** Closes a tag left open at the end, which a page around the email would otherwise close. */
const CLOSE_OPEN_TAG = '\'">';

function readEveryWay(markup: string, inner: Set<string>): string | null {
  const closed = markup + CLOSE_OPEN_TAG;
  return (
    readAsDocument(closed, false, inner) ??
    (/noscript/i.test(markup) ? readAsDocument(closed, true, inner) : null) ??
    readTagsOnly(closed, inner)
  );
}

function readAsDocument(markup: string, scriptingEnabled: boolean, inner: Set<string>): string | null {
  const { InspectingParser } = tools();
  const parser = new InspectingParser({ scriptingEnabled });
  parser.inner = inner;
  parser.tokenizer.write(markup, true);
  return parser.finding ?? parser.inspectStyleSheets();
}

const require = createRequire(import.meta.url);
let loaded: Tools | undefined;

/** Most processes only deliver, and most HTML needs no such look: the parser is loaded with the first that does. */
function tools(): Tools {
  if (loaded) return loaded;
  const { Parser, Tokenizer } = require('parse5') as typeof Parse5;
  loaded = { InspectingParser: inspecting(Parser), Tokenizer };
  return loaded;
}

interface Tools {
  InspectingParser: ReturnType<typeof inspecting>;
  Tokenizer: typeof Parse5.Tokenizer;
}

/** Pausing the tokenizer is how a finding ends the reading early. */
function inspecting(Parser: typeof Parse5.Parser) {
  return class InspectingParser extends Parser<DefaultTreeAdapterMap> {
    finding: string | null = null;
    inner = new Set<string>();
    elements = 0;
    readonly styleSheets: DefaultTreeAdapterMap['element'][] = [];

    override onStartTag(token: Token.TagToken): void {
      this.conclude(inspectTag(token, this.inner));
      super.onStartTag(token);
    }

    override onComment(token: Token.CommentToken): void {
      this.inner.add(token.data);
      super.onComment(token);
    }

    override onItemPush(node: DefaultTreeAdapterMap['parentNode'], tagId: number, isTop: boolean): void {
      super.onItemPush(node, tagId, isTop);
      this.elements += 1;
      if (this.openElements.stackTop > MAX_NESTING || this.elements > MAX_ELEMENTS)
        this.conclude('is nested too deeply to be checked');
      if ('tagName' in node && node.tagName === 'style') this.styleSheets.push(node);
    }

    inspectStyleSheets(): string | null {
      for (const sheet of this.styleSheets) {
        const css = sheet.childNodes.map((child) => ('value' in child ? child.value : '')).join('');
        const finding = inspectCss(css);
        if (finding !== null) return finding;
      }
      return null;
    }

    conclude(finding: string | null): void {
      if (finding === null) return;
      this.finding ??= finding;
      this.tokenizer.pause();
    }
  };
}

function readTagsOnly(markup: string, inner: Set<string>): string | null {
  let finding: string | null = null;
  const ignore = () => {};
  const handler: TokenHandler = {
    onStartTag(token) {
      finding ??= inspectTag(token, inner);
      if (finding !== null) tokenizer.pause();
    },
    onComment(token) {
      inner.add(token.data);
    },
    onEndTag: ignore,
    onDoctype: ignore,
    onCharacter: ignore,
    onNullCharacter: ignore,
    onWhitespaceCharacter: ignore,
    onEof: ignore,
  };
  const tokenizer = new (tools().Tokenizer)({}, handler);
  tokenizer.write(markup, true);
  return finding;
}
