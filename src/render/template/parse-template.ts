import { messageOf } from '../../kernel/index.js';
import { parseExpression, parseInclude, parseList, parseTest } from './parse-expression.js';
import {
  type EachNode,
  type IfNode,
  type IncludeNode,
  type Node,
  SECTIONS,
  type SectionName,
  type Template,
} from './syntax.js';
import { templateProblem } from './template-problem.js';

/**
 * From source to tree. Every refusal names the line. A line that holds a block's tag or a note and nothing else
 * leaves no empty line behind, so that plain text can be written as it will be read.
 */
export function parseTemplate(source: string, name: string): Template {
  if (source.length > MAX_SOURCE) throw templateProblem(name, 1, `is longer than ${MAX_SOURCE / 1024} KB`);
  if (MARKS.test(source)) throw templateProblem(name, 1, 'contains private-use characters');
  return new TemplateParser(name).parse(dropLoneLines(source.replace(/\r\n?/g, '\n')));
}

const MAX_SOURCE = 256 * 1024;
const MAX_TAG = 1000;
const MAX_NESTING = 12;
/** Used to hold places while plain text is derived. */
const MARKS = /[\uE000\uE001]/;
const LONE_LINE = /^[ \t]*(\{\{(?:[#/!][^{}]{0,1000}|else)\}\})[ \t]*\n/gm;

/** The line break moves into the tag, so that lines are still counted right. */
function dropLoneLines(source: string): string {
  return source.replace(LONE_LINE, (_, tag: string) => `${tag.slice(0, -2)}\n}}`);
}

type Block = (IfNode | EachNode | IncludeNode | { kind: 'section'; name: SectionName; line: number }) & {
  closes: string;
};

class TemplateParser {
  private line = 1;
  private readonly blocks: Block[] = [];
  private nodes: Node[] = [];
  private readonly outer: Node[][] = [];
  private readonly sections: Template['sections'] = {};

  constructor(private readonly name: string) {}

  parse(source: string): Template {
    let at = 0;
    for (let start = source.indexOf('{{'); start !== -1; start = source.indexOf('{{', at)) {
      this.text(source.slice(at, start));
      if (source[start + 2] === '{') throw this.problem('{{{…}}} is not possible: every value is escaped');
      const end = source.indexOf('}}', start);
      if (end === -1) throw this.problem('{{ is never closed');
      const inner = source.slice(start + 2, end);
      this.tag(inner.trim());
      this.line += countLines(inner);
      at = end + 2;
    }
    this.text(source.slice(at));
    const open = this.blocks.at(-1);
    if (open) {
      this.line = open.line;
      throw this.problem(`{{#${open.closes}}} is never closed`);
    }
    return { name: this.name, nodes: this.nodes, sections: this.sections };
  }

  private text(text: string): void {
    if (text !== '') this.nodes.push({ kind: 'text', text, line: this.line });
    this.line += countLines(text);
  }

  private tag(inner: string): void {
    if (inner.length > MAX_TAG) throw this.problem(`a tag is longer than ${MAX_TAG} characters`);
    if (inner === '') throw this.problem('{{}} is empty');
    if (inner.includes('{{')) throw this.problem('{{ inside of {{ }}');
    if (inner.startsWith('!')) return;
    const { line } = this;
    if (inner.startsWith('#')) this.open(inner.slice(1).trim());
    else if (inner.startsWith('/')) this.close(inner.slice(1).trim());
    else if (inner.startsWith('>'))
      this.nodes.push({
        kind: 'include',
        ...this.read(inner.slice(1).trim(), parseInclude),
        body: null,
        line,
      });
    else if (inner === 'else') this.otherwise();
    else this.nodes.push({ kind: 'value', value: this.read(inner, parseExpression), line });
  }

  private open(inner: string): void {
    const { line } = this;
    if (this.blocks.length >= MAX_NESTING)
      throw this.problem(`blocks are nested more than ${MAX_NESTING} deep`);
    const word = /^>|^\S+/.exec(inner)?.[0] ?? '';
    const rest = inner.slice(word.length).trim();
    if (word === 'if')
      this.begin({ kind: 'if', ...this.read(rest, parseTest), body: [], otherwise: [], line, closes: 'if' });
    else if (word === 'each')
      this.begin({
        kind: 'each',
        ...this.read(rest, parseList),
        body: [],
        otherwise: [],
        line,
        closes: 'each',
      });
    else if (word === '>') {
      const include = this.read(rest, parseInclude);
      this.begin({ kind: 'include', ...include, body: [], line, closes: include.name });
    } else if (rest === '' && isSection(word)) {
      if (this.blocks.length > 0 || this.sections[word])
        throw this.problem(`{{#${word}}} may stand once, outside of other blocks`);
      this.begin({ kind: 'section', name: word, line, closes: word });
    } else
      throw this.problem(`there is no block {{#${word}}}; there are if, each, >, ${SECTIONS.join(', ')}`);
  }

  private begin(block: Block): void {
    this.blocks.push(block);
    this.outer.push(this.nodes);
    this.nodes = [];
  }

  private otherwise(): void {
    const block = this.blocks.at(-1);
    const mayHave = block?.kind === 'if' || block?.kind === 'each';
    if (!mayHave || block.otherwise === this.nodes)
      throw this.problem('{{else}} belongs once into {{#if}} or {{#each}}');
    block.body = this.nodes;
    this.nodes = block.otherwise;
  }

  private close(name: string): void {
    const block = this.blocks.pop();
    if (block === undefined || block.closes !== name)
      throw this.problem(
        block === undefined
          ? `{{/${name}}} closes nothing`
          : `{{/${name}}} where {{/${block.closes}}} is expected (opened in line ${block.line})`,
      );
    const inner = this.nodes;
    this.nodes = this.outer.pop()!;
    if (block.kind === 'section') {
      this.sections[block.name] = inner;
      return;
    }
    if (block.kind === 'include' || inner !== block.otherwise) block.body = inner;
    this.nodes.push(block);
  }

  private read<T>(source: string, parse: (source: string) => T): T {
    try {
      return parse(source);
    } catch (error) {
      throw this.problem(messageOf(error));
    }
  }

  private problem(reason: string) {
    return templateProblem(this.name, this.line, reason);
  }
}

function isSection(word: string): word is SectionName {
  return SECTIONS.some((section) => section === word);
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
