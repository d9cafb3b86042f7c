import { decodeReferences, learnReferences } from './decode-references.js';
import { inspectClientCss } from './inspect-client-css.js';
import { type HtmlReader, scanHtml } from './scan-html.js';

/**
 * Whether an email will look right in the mail programs people use, as sentences about what will not: layout that
 * Outlook ignores, parts that Gmail removes, pictures nobody loads, what makes Gmail clip it, what a phone, a dark
 * screen or a screen reader misses. The catalogue passes it; for other people's templates these are warnings.
 * It says nothing about safety; policy does that.
 */
export function checkClientHtml({ subject, html, text }: ClientContent): string[] {
  const problems = new Set<string>();
  learnReferences(html);
  const reader = new ClientReader(problems);
  scanHtml(html, reader);
  reader.finish();
  inspectStyleSheets(html, problems);
  const bytes = Buffer.byteLength(html);
  if (bytes >= CLIPPED_AT)
    problems.add(`the HTML has ${Math.ceil(bytes / 1024)} KB; Gmail cuts it off at 102 KB`);
  if (subject.trim() === '') problems.add('the subject is empty');
  if (text.trim() === '') problems.add('there is no plain text');
  return [...problems];
}

export interface ClientContent {
  subject: string;
  html: string;
  text: string;
}

const CLIPPED_AT = 102 * 1024;
const MAX_WIDTH = 600;
const REMOVED = new Set([
  ...['script', 'noscript', 'form', 'input', 'button', 'select', 'textarea', 'iframe', 'frame', 'object'],
  ...['embed', 'applet', 'video', 'audio', 'canvas', 'svg', 'math', 'link', 'base', 'template', 'dialog'],
]);
const LINK = /^(?:https?:\/\/|mailto:|tel:)/i;

class ClientReader implements HtmlReader {
  private readonly metas = new Set<string>();
  private readonly found = { html: false, title: false, table: false, preheader: false, heading: 0 };
  private isInBody = false;
  private hasSpoken = false;
  private link: string | null = null;

  constructor(private readonly problems: Set<string>) {}

  open(name: string, raw: string): void {
    const attributes = readAttributes(raw);
    if (REMOVED.has(name)) this.problems.add(`<${name}> is removed by mail programs`);
    if (name === 'meta')
      this.metas.add((attributes.get('name') ?? [...attributes.keys()][0] ?? '').toLowerCase());
    else if (name === 'html') this.readHtml(attributes);
    else if (name === 'title') this.found.title = true;
    else if (name === 'body') this.isInBody = true;
    else if (name === 'h1') this.found.heading += 1;
    else if (name === 'table') this.readTable(attributes);
    else if (name === 'img') this.readImage(attributes);
    else if (name === 'a') this.readLink(attributes);
    this.readResources(name, attributes);
    this.readLook(name, attributes);
  }

  close(name: string): void {
    if (name !== 'a' || this.link === null) return;
    if (this.link.trim() === '') this.problems.add('a link has no text');
    this.link = null;
  }

  text(raw: string): void {
    if (this.link !== null) this.link += raw;
    if (this.isInBody && raw.trim() !== '') this.hasSpoken = true;
  }

  finish(): void {
    const { html, title, table, preheader, heading } = this.found;
    if (!html) this.problems.add('it is not a whole document: there is no <html>');
    if (!title) this.problems.add('there is no <title>');
    if (!table) this.problems.add('there is no table to lay it out; Outlook needs one');
    if (!preheader) this.problems.add('there is no preheader: a hidden text before all others');
    if (heading > 1) this.problems.add('there is more than one <h1>');
    for (const meta of ['charset', 'viewport', 'color-scheme'])
      if (!this.metas.has(meta)) this.problems.add(`there is no <meta> for ${meta}`);
  }

  private readHtml(attributes: ReadonlyMap<string, string>): void {
    this.found.html = true;
    if (!attributes.get('lang')) this.problems.add('<html> has no lang');
    if (!/^(?:ltr|rtl)$/.test(attributes.get('dir') ?? '')) this.problems.add('<html> has no dir');
  }

  private readTable(attributes: ReadonlyMap<string, string>): void {
    this.found.table = true;
    if (attributes.get('role') !== 'presentation')
      this.problems.add('a table has no role="presentation", so screen readers count its cells');
  }

  private readImage(attributes: ReadonlyMap<string, string>): void {
    if (!attributes.has('alt')) this.problems.add('an image has no alt');
    if (!attributes.get('width')) this.problems.add('an image has no width; Outlook shows it at full size');
  }

  private readLink(attributes: ReadonlyMap<string, string>): void {
    this.link = '';
    if (!LINK.test(attributes.get('href') ?? ''))
      this.problems.add('a link leads nowhere outside of a browser: it must be http, https, mailto or tel');
  }

  private readResources(name: string, attributes: ReadonlyMap<string, string>): void {
    for (const attribute of ['src', 'srcset', 'background', 'poster']) {
      const value = attributes.get(attribute);
      if (value !== undefined && !/^cid:/i.test(value))
        this.problems.add(`<${name}> loads something from outside; many programs block it`);
    }
  }

  private readLook(name: string, attributes: ReadonlyMap<string, string>): void {
    const style = attributes.get('style');
    if (attributes.has('class') && style === undefined)
      this.problems.add(`<${name}> has a class and no style; a program without style sheets shows it bare`);
    if (Number(attributes.get('width')) > MAX_WIDTH) this.problems.add(`<${name}> is wider than 600 px`);
    if (style === undefined) return;
    for (const problem of inspectClientCss(style)) this.problems.add(problem);
    for (const [, width] of style.matchAll(/(?:^|[;\s-])width\s*:\s*(\d+)px/gi))
      if (Number(width) > MAX_WIDTH) this.problems.add(`<${name}> is wider than 600 px`);
    if (this.isInBody && !this.hasSpoken && /display\s*:\s*none/i.test(style)) this.found.preheader = true;
  }
}

/** Style sheets may only refine what is inlined: for narrow and for dark screens. */
function inspectStyleSheets(html: string, problems: Set<string>): void {
  const css = styleSheetsOf(html);
  if (!/prefers-color-scheme\s*:\s*dark/i.test(css)) problems.add('there is no style for dark mode');
  for (const problem of inspectClientCss(css)) problems.add(problem);
  if (selectorsOutside(css).some((selector) => selector !== ':root'))
    problems.add('a style sheet has rules outside of @media; inline them');
}

/** With indexOf, because a pattern would look for the end again from every beginning. */
function styleSheetsOf(html: string): string {
  const lower = html.toLowerCase();
  let css = '';
  for (let at = lower.indexOf('<style'); at !== -1; at = lower.indexOf('<style', at)) {
    const from = lower.indexOf('>', at);
    const to = from === -1 ? -1 : lower.indexOf('</style', from);
    if (to === -1) return css;
    css += `${html.slice(from + 1, to)}\n`;
    at = to;
  }
  return css;
}

/** What stands before every outermost brace, but for @media. */
function selectorsOutside(css: string): string[] {
  const selectors: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < css.length; at++) {
    if (css[at] === '{' && depth++ === 0) selectors.push(css.slice(from, at).trim());
    if (css[at] === '}' && --depth === 0) from = at + 1;
  }
  return selectors.filter((selector) => !/^@media\b/i.test(selector));
}

function readAttributes(raw: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, bare] of raw.matchAll(ATTRIBUTE))
    if (!attributes.has(name!.toLowerCase()))
      attributes.set(name!.toLowerCase(), decodeReferences(double ?? single ?? bare ?? ''));
  return attributes;
}

const ATTRIBUTE = /([^\s"'=/>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g;
