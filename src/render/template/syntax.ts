/**
 * The template language as a tree. It is closed: text, variables, four functions, two blocks, pieces from the kit.
 *
 *   {{name}}  {{person.name}}                          a value, escaped for where it stands
 *   {{t "key" name=value}}                             a text of the locale, an ICU message
 *   {{date at "long" timeZone=zone}} {{time at}} {{number n "percent"}}
 *   {{#if x}} … {{else}} … {{/if}}   {{#if x is "y"}}  absent, null, false, 0, '' and [] count as no
 *   {{#each xs as x}} … {{else}} … {{/each}}           `this` where no name is given
 *   {{> button url=link label=(t "key")}}              a piece; sees what it is given and nothing else
 *   {{#> panel}} … {{/panel}}   {{> content}}          a piece around something, and the place for it
 *   {{#subject}} … {{/subject}}   {{#preheader}} … {{/preheader}}
 *   {{! a note }}
 */
export type Node = TextNode | ValueNode | IfNode | EachNode | IncludeNode;

export interface TextNode {
  kind: 'text';
  text: string;
  line: number;
}

export interface ValueNode {
  kind: 'value';
  value: Expression;
  line: number;
}

export interface IfNode {
  kind: 'if';
  test: Expression;
  /** `{{#if x is "y"}}` */
  is: Expression | null;
  body: Node[];
  otherwise: Node[];
  line: number;
}

export interface EachNode {
  kind: 'each';
  list: Expression;
  as: string;
  body: Node[];
  otherwise: Node[];
  line: number;
}

export interface IncludeNode {
  kind: 'include';
  name: string;
  given: Record<string, Expression>;
  /** What stands between `{{#> x}}` and `{{/x}}`. */
  body: Node[] | null;
  line: number;
}

export type Expression =
  | { kind: 'path'; segments: readonly string[] }
  | { kind: 'literal'; value: string | number | boolean }
  | {
      kind: 'call';
      function: FunctionName;
      values: readonly Expression[];
      named: Record<string, Expression>;
    };

export const FUNCTIONS = ['t', 'date', 'time', 'number'] as const;
export type FunctionName = (typeof FUNCTIONS)[number];

export interface Template {
  /** For messages: `templates/hub/hub_welcome.html`, or `html` of an override. */
  name: string;
  nodes: Node[];
  sections: Partial<Record<SectionName, Node[]>>;
}

export const SECTIONS = ['subject', 'preheader'] as const;
export type SectionName = (typeof SECTIONS)[number];
