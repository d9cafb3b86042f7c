/**
 * The faults that `npm run mutants` plants: every place of a source file where one can stand, and what stands there then.
 * One fault changes one place. Faults in SQL are found in the strings that hold it.
 */
import { parseSync } from 'vite';
import { findSqlMutants } from './find-sql-mutants.mjs';

const COMPARISONS = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
const CALLS = { min: 'max', max: 'min', some: 'every', every: 'some' };
/** What is only said, not done. */
const LOGGING = /^(?:await )?(?:[\w.#]*\b(?:logger|log|console)\b|(?:[\w.#]*\.)?(?:warn|killPoint)\()/;

export function findMutants(file, text) {
  const found = [];
  const add = (kind, node, to, names) => {
    const from = text.slice(node.start, node.end);
    if (from !== to) found.push({ kind, start: node.start, end: node.end, to, names });
  };
  const { program, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
  walk(program, [], (node, names, parent) =>
    mutate({ node, parent, text, add: (...it) => add(...it, names) }),
  );
  return found
    .sort((a, b) => a.start - b.start || a.end - b.end)
    .map((mutant) => ({ file, ...mutant, ...shown(text, mutant) }));
}

function mutate({ node, parent, text, add }) {
  switch (node.type) {
    case 'BinaryExpression':
      if (COMPARISONS[node.operator]) add('compare', between(node, text), COMPARISONS[node.operator]);
      else if (node.operator === '-' || (node.operator === '+' && isNumber(node.right)))
        add('arithmetic', between(node, text), node.operator === '-' ? '+' : '-');
      return;
    case 'LogicalExpression':
      if (node.operator === '??') return;
      add('condition', node, text.slice(node.left.start, node.left.end));
      add('condition', node, text.slice(node.right.start, node.right.end));
      return;
    case 'CallExpression':
      if (node.callee.type === 'MemberExpression' && isChoice(node.callee))
        add('choice', node.callee.property, CALLS[node.callee.property.name]);
      return;
    case 'Literal':
      if (isAmount(node, parent)) add('constant', node, String(node.value * 10));
      else if (typeof node.value === 'string')
        for (const it of findSqlMutants(text, node)) add(it.kind, it, it.to);
      return;
    case 'TemplateLiteral':
      for (const it of findSqlMutants(text, node)) add(it.kind, it, it.to);
      return;
    case 'IfStatement':
      add('guard', node.test, 'false');
      return;
    case 'ConditionalExpression':
      add('guard', node.test, 'false');
      return;
    case 'ExpressionStatement':
      if (/^(?:Block|Program|Arrow|Function)/.test(parent?.type ?? '') && isStep(node, text))
        add('step', node, ';');
      return;
    default:
  }
}

function isStep({ expression, directive, start, end }, text) {
  const inner = expression.type === 'AwaitExpression' ? expression.argument : expression;
  if (directive || LOGGING.test(text.slice(start, end))) return false;
  return /^(?:CallExpression|AssignmentExpression|UpdateExpression|UnaryExpression)$/.test(inner.type);
}

/** `Math.min`, not the `min` of a schema. */
function isChoice({ object, property: { name } }) {
  return Object.hasOwn(CALLS, name ?? '') && (object.name === 'Math' || !Object.hasOwn(Math, name));
}

/** No index, no pattern of bits; of `24 * 60 * 60` only the first is made ten times as much. */
function isAmount(node, parent) {
  if (typeof node.value !== 'number' || node.value < 2 || node.raw.startsWith('0x')) return false;
  if (parent?.type === 'MemberExpression') return false;
  return !(parent?.type === 'BinaryExpression' && /[*/]/.test(parent.operator) && parent.right === node);
}

function isNumber({ type, value }) {
  return type === 'Literal' && typeof value === 'number';
}

/** The operator, which has no node of its own. */
function between({ left, right, operator }, text) {
  const start = text.indexOf(operator, left.end);
  if (start === -1 || start >= right.start) throw new Error(`no ${operator} after ${left.end}`);
  return { start, end: start + operator.length };
}

/** `names` are the functions around a node, the outermost first. */
function walk(node, names, visit, parent = null, named = undefined) {
  const isFunction = /Function|^MethodDefinition$/.test(node.type);
  const name = node.id?.name ?? node.key?.name ?? named;
  const inside = isFunction && name ? [...names, name] : names;
  if (/^TS(?!As|NonNull|Satisfies)/.test(node.type) || node.type === 'ImportDeclaration') return;
  visit(node, inside, parent);
  const handsOn = /^(?:VariableDeclarator|Property|PropertyDefinition|MethodDefinition)$/.test(node.type)
    ? name
    : undefined;
  for (const [key, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (child && typeof child.type === 'string' && key !== 'typeAnnotation')
        walk(child, inside, visit, node, handsOn);
    }
  }
}

/** The lines of the place, as they are and as they would be. */
function shown(text, { start, end, to }) {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const found = text.indexOf('\n', end);
  const until = found === -1 ? text.length : found;
  const flat = (words) => words.replace(/\s+/g, ' ').trim();
  return {
    line: text.slice(0, start).split('\n').length,
    before: flat(text.slice(from, until)),
    after: flat(text.slice(from, start) + to + text.slice(end, until)),
  };
}
