import { isPostriderError, messageOf } from '../../kernel/index.js';
import { bindExpression, type Names } from './bind-expression.js';
import { itemShapeOf } from './data-shape.js';
import { escaperFor, isPlainCssValue, type WriteMode } from './escape-value.js';
import { HtmlContext } from './html-context.js';
import type { Piece } from './piece.js';
import type { EachNode, IfNode, IncludeNode, Node, Template } from './syntax.js';
import { templateProblem } from './template-problem.js';
import { isConstant, type Scope, type Value } from './value.js';

/**
 * Binds a template to one language: pieces are put in place, names get their meaning, and every value learns how it
 * has to be written where it stands. A block must end where it began (in text, in the same attribute), so that no
 * branch changes what the rest means.
 */
export function bindTemplate(template: Template, options: BindOptions): Piece[] {
  const binder = new Binder(options);
  const pieces = binder.nodes(template.nodes, {
    file: template.name,
    names: options.names,
    content: options.content ?? {},
    depth: 0,
  });
  binder.finish(template.name);
  return pieces;
}

export interface BindOptions {
  mode: 'html' | 'plain' | 'subject';
  names: Names;
  /** A piece of the kit by its name, or undefined. */
  piece(name: string): Template | undefined;
  /** What `{{> content}}` and the other named parts are; absent parts are empty. */
  content?: Content;
}

/** What stands in the place of `{{> content}}`: as written, or bound before. */
export type Content = Record<string, { file: string; nodes: Node[] } | { pieces: Piece[] }>;

interface Place {
  file: string;
  names: Names;
  content: Record<string, Part>;
  depth: number;
}

type Part = Content[string] | Block;

interface Block {
  file: string;
  nodes: Node[];
  place: Place;
}

const MAX_DEPTH = 8;
/** An email of the catalogue has some hundred; each holds about a kilobyte once it is compiled. */
const MAX_PIECES = 2000;

class Binder {
  private readonly context: HtmlContext | null;
  private pieces = 0;

  constructor(private readonly options: BindOptions) {
    this.context = options.mode === 'html' ? new HtmlContext() : null;
  }

  nodes(nodes: readonly Node[], place: Place): Piece[] {
    return nodes.flatMap((node) => this.node(node, place));
  }

  finish(file: string): void {
    if (this.context && this.context.describe() !== 'text')
      throw templateProblem(file, 1, `ends inside ${this.context.describe()}`);
  }

  private node(node: Node, place: Place): Piece[] {
    this.pieces += 1;
    if (this.pieces > MAX_PIECES) throw templateProblem(place.file, 1, `has more than ${MAX_PIECES} parts`);
    switch (node.kind) {
      case 'text':
        this.feed(node.text, node.line, place);
        return [{ kind: 'text', text: node.text }];
      case 'value':
        return this.at(place, node.line, () => [this.slot(bindExpression(node.value, place.names))]);
      case 'if':
        return this.branch(node, place);
      case 'each':
        return [this.loop(node, place)];
      case 'include':
        return this.include(node, place);
    }
  }

  private feed(text: string, from: number, place: Place): void {
    const { context } = this;
    if (!context) return;
    for (const [index, line] of text.split(/(?<=\n)/).entries())
      this.at(place, from + index, () => context.feed(line));
  }

  private slot(value: Value): Piece {
    const mode: WriteMode = this.context ? this.context.slot() : (this.options.mode as WriteMode);
    if (isConstant(value)) {
      const text = String(value.constant);
      if (mode !== 'style') return { kind: 'text', text: escaperFor(mode)(text, `"${text}"`) };
      if (!isPlainCssValue(text)) throw new Error(`"${text}" cannot stand in a style`);
      return { kind: 'text', text };
    }
    if (mode === 'style') throw new Error('a value of the data cannot stand in a style');
    return { kind: 'slot', value, mode };
  }

  private branch(node: IfNode, place: Place): Piece[] {
    const test = this.at(place, node.line, () => bindExpression(node.test, place.names));
    const is = node.is && this.at(place, node.line, () => bindExpression(node.is!, place.names));
    if (isConstant(test) && (is === null || isConstant(is))) {
      const holds = is === null ? isYes(test.constant) : test.constant === is.constant;
      return this.closed(node.line, place, () => this.nodes(holds ? node.body : node.otherwise, place));
    }
    const read = reader(test);
    const expected = is && reader(is);
    return [
      {
        kind: 'if',
        test: expected ? (scope) => read(scope) === expected(scope) : (scope) => isYes(read(scope)),
        body: this.closed(node.line, place, () => this.nodes(node.body, place)),
        otherwise: this.closed(node.line, place, () => this.nodes(node.otherwise, place)),
      },
    ];
  }

  private loop(node: EachNode, place: Place): Piece {
    const list = this.at(place, node.line, () => bindExpression(node.list, place.names));
    if (isConstant(list)) throw templateProblem(place.file, node.line, 'each needs a list of the data');
    const at = nextPlace(place.names.lists);
    const lists = [
      ...place.names.lists,
      { as: node.as, field: list.field, at, shape: itemShapeOf(list.shape) },
    ];
    const inner = { ...place, names: { ...place.names, lists } };
    return {
      kind: 'each',
      list,
      depth: at,
      body: this.closed(node.line, place, () => this.nodes(node.body, inner)),
      otherwise: this.closed(node.line, place, () => this.nodes(node.otherwise, place)),
    };
  }

  private include(node: IncludeNode, place: Place): Piece[] {
    if (place.depth >= MAX_DEPTH)
      throw templateProblem(place.file, node.line, `pieces are nested more than ${MAX_DEPTH} deep`);
    const part = Object.hasOwn(place.content, node.name) ? place.content[node.name] : undefined;
    if (part) return this.part(part, place);
    if (PARTS.has(node.name)) return [];
    const piece = this.options.piece(node.name);
    if (piece === undefined)
      throw templateProblem(place.file, node.line, `there is no piece "${node.name}" in the kit`);
    const given = this.at(place, node.line, () =>
      Object.fromEntries(
        Object.entries(node.given).map(([name, value]) => [name, bindExpression(value, place.names)]),
      ),
    );
    const lists = unnamed(place.names.lists);
    const { content: _, ...others } = place.content;
    const content = node.body && { content: { file: place.file, nodes: node.body, place } };
    return this.nodes(piece.nodes, {
      file: piece.name,
      names: { ...place.names, given, lists },
      content: { ...others, ...content },
      depth: place.depth + 1,
    });
  }

  /** What a block holds is read with the names of where it was written. */
  private part(block: Part, place: Place): Piece[] {
    if ('pieces' in block) return block.pieces;
    const written = 'place' in block ? block.place : { ...place, names: this.options.names, content: {} };
    const lists = [...unnamed(place.names.lists), ...written.names.lists];
    const inside = { ...written, names: { ...written.names, lists }, file: block.file };
    return this.closed(1, inside, () => this.nodes(block.nodes, { ...inside, depth: place.depth + 1 }));
  }

  private closed(line: number, place: Place, bind: () => Piece[]): Piece[] {
    const before = this.context?.fingerprint();
    const began = this.context?.describe();
    const pieces = bind();
    if (this.context?.fingerprint() !== before) {
      const reason = `the block begins in ${began} and ends in ${this.context?.describe()}`;
      throw templateProblem(place.file, line, reason);
    }
    return pieces;
  }

  private at<T>(place: Place, line: number, bind: () => T): T {
    try {
      return bind();
    } catch (error) {
      if (isPostriderError(error) && error.code === 'INVALID_TEMPLATE') throw error;
      throw templateProblem(place.file, line, messageOf(error));
    }
  }
}

/** Open lists keep their places in the scope even where their names mean nothing. */
function unnamed(lists: Names['lists']): Names['lists'] {
  return lists.map((list) => ({ ...list, as: '' }));
}

function nextPlace(lists: Names['lists']): number {
  return Math.max(-1, ...lists.map((list) => list.at)) + 1;
}

const PARTS = new Set(['content', 'subject', 'preheader']);

function reader(value: Value): (scope: Scope) => unknown {
  return isConstant(value) ? () => value.constant : (scope) => value.get(scope);
}

function isYes(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
