import { trimEndOf } from '../kernel/index.js';
import { type Brand, LOGO_ID } from './brands/create-brands.js';
import type { EmailType, TypeAttachment } from './define-email.js';
import { directionOf, FALLBACK_LANGUAGE, fallbackChain, type ResolvedLanguage } from './languages.js';
import { assemble, countPieces } from './template/assemble.js';
import type { Names } from './template/bind-expression.js';
import { type Message, parseMessage } from './template/bind-message.js';
import { bindTemplate, type Content } from './template/bind-template.js';
import { derivePlainPieces } from './template/derive-plain-pieces.js';
import { parseTemplate } from './template/parse-template.js';
import type { Node, Template } from './template/syntax.js';
import { templateProblem } from './template/template-problem.js';
import { newScope, type Scope } from './template/value.js';
import type { TemplateFiles } from './template-files.js';

/**
 * One type in one language, from templates to a function: subject, HTML inside the portal's layout, and plain text,
 * written, made of the pieces' plain forms, or derived. Everything that can be wrong with a template is wrong here, with file and line; what is left
 * for an email is data that does not fit, and the name of the field.
 */
export function compileEmail(options: CompileOptions): CompiledEmail {
  const { type, files, source } = options;
  const names = namesFor(options);
  const shownNames = { ...names, shown: type.sensitive ? new Set(type.subjectFields) : null };
  const piece = (kind: string) => (name: string) => files.template(`kit/${name}.${kind}`);
  const bindShown = (template: Template) =>
    bindTemplate(template, { mode: 'subject', names: shownNames, piece: piece('txt') });
  const subject = bindShown(source.subject);
  const parts: Content = {
    subject: { file: source.subject.name, nodes: source.subject.nodes },
    content: { file: source.html.name, nodes: source.html.nodes },
  };
  const { preheader } = source.html.sections;
  if (preheader) {
    if (type.sensitive) bindShown({ name: source.html.name, nodes: preheader, sections: {} });
    parts.preheader = { file: source.html.name, nodes: preheader };
  }
  const bindHtml = (template: Template, content: Content) =>
    bindTemplate(template, { mode: 'html', names, piece: piece('html'), content });
  const isWhole = isWholeDocument(source.html);
  const own = bindHtml(source.html, {});
  const layout = isWhole ? undefined : files.template(`${type.portal}/layout.html`);
  const html = layout ? bindHtml(layout, parts) : own;
  const text = bindText(options, names, piece('txt'), () => derivePlainPieces(own));
  const write = { subject: assemble(subject), html: assemble(html), text: assemble(text) };
  const { image } = options.brand;
  return {
    parts: countPieces(subject) + countPieces(html) + countPieces(text),
    render(data) {
      const scope: Scope = newScope(data);
      const made = {
        subject: write.subject(scope).trim(),
        html: write.html(scope),
        text: tidy(write.text(scope)),
      };
      return image && made.html.includes(`cid:${LOGO_ID}`) ? { ...made, images: [image] } : made;
    },
  };
}

export interface CompileOptions {
  type: EmailType;
  language: ResolvedLanguage;
  files: TemplateFiles;
  source: EmailSource;
  brand: Brand;
  /** Told every text that is used. */
  onText?(key: string): void;
}

export interface EmailSource {
  subject: Template;
  html: Template;
  text: Template | null;
}

export interface RenderedContent {
  subject: string;
  html: string;
  text: string;
  /** What the HTML shows as cid:… and must go along. */
  images?: TypeAttachment[];
}

export interface CompiledEmail {
  /** What it holds in memory grows with: about a kilobyte each. */
  parts: number;
  render(data: unknown): RenderedContent;
}

/** The content a type is declared with, or that of its files. */
export function sourceOf(type: EmailType, files: TemplateFiles): EmailSource {
  if (type.content) return parseContent(type.content, `${type.type}.`);
  const path = `${type.portal}/${type.type}`;
  const html = files.template(`${path}.html`);
  if (html === undefined) throw templateProblem(`templates/${path}.html`, 1, 'is missing');
  const subject = html.sections.subject;
  if (subject === undefined) throw templateProblem(html.name, 1, 'has no {{#subject}}');
  return {
    subject: { name: html.name, nodes: subject, sections: {} },
    html,
    text: files.template(`${path}.txt`) ?? null,
  };
}

/** Content given as strings: an application's own type, or an override. */
export function parseContent(
  content: { subject: string; html: string; text?: string | null },
  prefix = '',
): EmailSource {
  const text = content.text ?? null;
  return {
    subject: parseTemplate(content.subject, `${prefix}subject`),
    html: parseTemplate(content.html, `${prefix}html`),
    text: text === null ? null : parseTemplate(text, `${prefix}text`),
  };
}

function bindText(
  { type, files, source }: CompileOptions,
  names: Names,
  piece: (name: string) => Template | undefined,
  derive: () => ReturnType<typeof derivePlainPieces>,
) {
  const written = source.text ?? (speaksPlainly(source.html.nodes, piece) ? source.html : null);
  const own = written ? bindTemplate(written, { mode: 'plain', names, piece }) : derive();
  const layout = isWholeDocument(source.html) ? undefined : files.template(`${type.portal}/layout.txt`);
  if (layout === undefined) return own;
  return bindTemplate(layout, { mode: 'plain', names, piece, content: { content: { pieces: own } } });
}

/** Made of pieces that all have a plain form, without markup of its own: then the same template is its plain text. */
function speaksPlainly(nodes: readonly Node[], piece: (name: string) => Template | undefined): boolean {
  let pieces = 0;
  const isPlain = (node: Node): boolean => {
    switch (node.kind) {
      case 'text':
        return !/[<&]/.test(node.text);
      case 'value':
        return true;
      case 'if':
      case 'each':
        return node.body.every(isPlain) && node.otherwise.every(isPlain);
      case 'include':
        pieces += 1;
        return piece(node.name) !== undefined && (node.body ?? []).every(isPlain);
    }
  };
  return nodes.every(isPlain) && pieces > 0;
}

function namesFor({ type, language, files, brand, onText }: CompileOptions): Names {
  const isRtl = directionOf(language.language) === 'rtl';
  const shape = 'shape' in type.data ? (type.data.shape as object) : null;
  const messages = new Map<string, Message>();
  return {
    locale: language.locale,
    constants: {
      brand: brand.values(language.language),
      locale: {
        lang: language.locale,
        dir: isRtl ? 'rtl' : 'ltr',
        start: isRtl ? 'right' : 'left',
        end: isRtl ? 'left' : 'right',
        // Korean sets spaces between words, and lines should break there.
        wordBreak: /^ko\b/i.test(language.language) ? 'keep-all' : 'normal',
      },
      app: { url: brand.url },
    },
    given: null,
    lists: [],
    // the link to unsubscribe is known for every email that can be refused
    shown: null,
    fields: shape && new Set([...Object.keys(shape), 'unsubscribeUrl']),
    schema: type.data,
    message(key) {
      onText?.(key);
      const message = messages.get(key) ?? findMessage(key, type, language, files);
      messages.set(key, message);
      return message;
    },
  };
}

function findMessage(
  key: string,
  type: EmailType,
  language: ResolvedLanguage,
  files: TemplateFiles,
): Message {
  const available = files.languages();
  for (const candidate of fallbackChain(language.language)) {
    const own = type.content?.messages?.[candidate];
    const text = own && Object.hasOwn(own, key) ? own[key] : undefined;
    const found = text ?? (available.includes(candidate) ? files.texts(candidate).get(key) : undefined);
    const isAsked = candidate === language.language;
    if (found !== undefined) return parseMessage(found, isAsked ? language.locale : candidate);
  }
  const tried = new Set([language.language, FALLBACK_LANGUAGE]);
  throw new Error(`there is no text "${key}" in ${[...tried].join(' or ')}`);
}

function isWholeDocument({ nodes }: Template): boolean {
  const first = nodes.find((node) => node.kind !== 'text' || node.text.trim() !== '');
  return first?.kind === 'text' && /^\s*<(?:!doctype|html)\b/i.test(first.text);
}

/** No spaces at line ends, no more than one empty line, one line break at the end. */
function tidy(text: string): string {
  const trimmed = text.trim();
  if (!UNTIDY.test(trimmed)) return `${trimmed}\n`;
  const lines = trimmed.split('\n').map((line) => trimEndOf(line, ' \t'));
  return `${lines.join('\n').replace(/\n{3,}/g, '\n\n')}\n`;
}

const UNTIDY = /[ \t]\n|\n\n\n/;
