import { createRequire } from 'node:module';
import type * as Parse5 from 'parse5';
import type { Token, TokenHandler } from 'parse5';
import { nextTurn } from '../kernel/index.js';
import { type BareElement, type BareTree, createBareTree } from './bare-tree.js';
import { inspectCss } from './inspect-css.js';
import { inspectTag } from './inspect-tag.js';
import { isSurelyInert } from './is-surely-inert.js';

/**
 * Reads HTML the way mail clients do and hands every tag, style sheet and comment to the rules; answers the first
 * finding or null. Each piece is read as the standard says, with scripting off and on, and once more by a tokenizer
 * that knows no raw text, because clients differ there and a tag can hide from one reading inside another's string.
 * Comments and srcdoc values are read as HTML of their own. Nothing recurses; what exceeds the limits is a finding.
 * Half a megabyte can take several hundred milliseconds, so other work has its turn every few of them.
 */
export async function inspectMarkup(html: string): Promise<string | null> {
  const inspection = inspect(html);
  for (let step = inspection.next(); ; step = inspection.next()) {
    if (step.done) return step.value;
    await nextTurn();
  }
}

/** Yields where the rest may wait for another turn of the event loop. */
type Inspection = Generator<undefined, string | null>;

interface Piece {
  markup: string;
  depth: number;
}

const MAX_EMBEDDING = 4;
const MAX_EMBEDDED = 1024 ** 2;
const MAX_NESTING = 500;
const MAX_ELEMENTS = 150_000;
/** Some milliseconds: tags, pieces of text, and elements that are opened again by themselves. */
const STEPS_PER_TURN = 4000;
const CHARACTERS_PER_STEP = 25;
/** Closes a tag left open at the end, which a page around the email would otherwise close. */
const CLOSE_OPEN_TAG = '\'">';

function* inspect(html: string): Inspection {
  const pending: Piece[] = [{ markup: html, depth: 0 }];
  const seen = new Set<string>();
  const pace = new Pace();
  let embedded = 0;
  for (let piece = pending.pop(); piece !== undefined; piece = pending.pop()) {
    const { markup, depth } = piece;
    if (depth > MAX_EMBEDDING) return 'has comments nested too deeply to be checked';
    const inner = new Set<string>();
    const finding = yield* readEveryWay(markup, inner, pace);
    if (finding !== null) return depth === 0 ? finding : `${finding} inside a comment or srcdoc`;
    for (const text of inner) {
      if (seen.has(text) || isSurelyInert(text)) continue;
      embedded += text.length;
      if (embedded > MAX_EMBEDDED) return 'has more than 1 MB in comments within comments to be checked';
      seen.add(text);
      pending.push({ markup: text, depth: depth + 1 });
    }
  }
  return null;
}

/** How much has been read since the last pause. */
class Pace {
  private left = STEPS_PER_TURN;

  isOver(steps: number): boolean {
    this.left -= steps;
    if (this.left > 0) return false;
    this.left = STEPS_PER_TURN;
    return true;
  }
}

function* readEveryWay(markup: string, inner: Set<string>, pace: Pace): Inspection {
  const closed = markup + CLOSE_OPEN_TAG;
  return (
    (yield* readAsDocument(closed, false, { inner, pace })) ??
    (/noscript/i.test(markup) ? yield* readAsDocument(closed, true, { inner, pace }) : null) ??
    (yield* readTagsOnly(closed, { inner, pace }))
  );
}

interface Reading {
  /** Takes what is to be read as HTML of its own. */
  inner: Set<string>;
  pace: Pace;
}

function* readAsDocument(markup: string, scriptingEnabled: boolean, reading: Reading): Inspection {
  const parser = new (tools().InspectingParser)({ scriptingEnabled, treeAdapter: createBareTree() });
  parser.reading = reading;
  parser.tokenizer.write(markup, true);
  while (parser.isPaused && parser.finding === null) {
    yield;
    parser.isPaused = false;
    parser.tokenizer.resume();
  }
  if (parser.finding !== null) return parser.finding;
  for (const { css } of parser.styleSheets) {
    const finding = inspectCss(css);
    if (finding !== null) return finding;
    if (reading.pace.isOver(1 + css.length / CHARACTERS_PER_STEP)) yield;
  }
  return null;
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

/** Pausing the tokenizer is how a finding ends the reading early, and how other work gets its turn. */
function inspecting(Parser: typeof Parse5.Parser) {
  return class InspectingParser extends Parser<BareTree> {
    finding: string | null = null;
    isPaused = false;
    reading!: Reading;
    elements = 0;
    readonly styleSheets: BareElement[] = [];

    override onStartTag(token: Token.TagToken): void {
      this.conclude(inspectTag(token, this.reading.inner));
      this.step(stepsOf(token));
      super.onStartTag(token);
    }

    override onEndTag(token: Token.TagToken): void {
      this.step();
      super.onEndTag(token);
    }

    override onCharacter(token: Token.CharacterToken): void {
      this.step(1 + token.chars.length / CHARACTERS_PER_STEP);
      super.onCharacter(token);
    }

    override onWhitespaceCharacter(token: Token.CharacterToken): void {
      this.step();
      super.onWhitespaceCharacter(token);
    }

    override onDoctype(token: Token.DoctypeToken): void {
      this.step();
      super.onDoctype(token);
    }

    override onComment(token: Token.CommentToken): void {
      this.reading.inner.add(token.data);
      this.step(1 + token.data.length / CHARACTERS_PER_STEP);
      super.onComment(token);
    }

    override onItemPush(node: BareElement, tagId: number, isTop: boolean): void {
      super.onItemPush(node, tagId, isTop);
      this.step();
      this.elements += 1;
      if (this.openElements.stackTop > MAX_NESTING || this.elements > MAX_ELEMENTS)
        this.conclude('is nested too deeply to be checked');
      if (node.tagName === 'style') this.styleSheets.push(node);
    }

    private step(steps = 1): void {
      if (!this.reading.pace.isOver(steps)) return;
      this.isPaused = true;
      this.tokenizer.pause();
    }

    private conclude(finding: string | null): void {
      if (finding === null) return;
      this.finding ??= finding;
      this.tokenizer.pause();
    }
  };
}

function stepsOf({ attrs }: Token.TagToken): number {
  let characters = 0;
  for (const { value } of attrs) characters += value.length;
  return 1 + attrs.length + characters / CHARACTERS_PER_STEP;
}

function* readTagsOnly(markup: string, { inner, pace }: Reading): Inspection {
  let finding: string | null = null;
  let isPaused = false;
  const step = (steps = 1) => {
    if (!pace.isOver(steps) && finding === null) return;
    isPaused = true;
    tokenizer.pause();
  };
  const ignore = () => {};
  const handler: TokenHandler = {
    onStartTag(token) {
      finding ??= inspectTag(token, inner);
      step(stepsOf(token));
    },
    onComment({ data }) {
      inner.add(data);
      step(1 + data.length / CHARACTERS_PER_STEP);
    },
    onEndTag: () => step(),
    onCharacter: ({ chars }) => step(1 + chars.length / CHARACTERS_PER_STEP),
    onWhitespaceCharacter: () => step(),
    onDoctype: () => step(),
    onNullCharacter: ignore,
    onEof: ignore,
  };
  const tokenizer = new (tools().Tokenizer)({}, handler);
  tokenizer.write(markup, true);
  while (isPaused && finding === null) {
    yield;
    isPaused = false;
    tokenizer.resume();
  }
  return finding;
}
