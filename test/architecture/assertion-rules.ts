import { posix } from 'node:path';
import { parseSync } from 'vite';

/**
 * No test without an assertion that can fail, and none whose only assertions stand in a branch: after `if` or `&&`, in
 * a `catch`, or in a loop over what may be empty. A helper asserts when it calls `expect`, throws, or calls a helper that
 * does; a method, when its name says that it does: `waitFor…`, `until…`, `expect…`.
 */
export interface TestSource {
  path: string;
  text: string;
}

/** Sentences about tests that cannot fail. Helpers are looked up in the files given. */
export function findEmptyTests(files: readonly TestSource[]): string[] {
  const modules = new Map(files.map((file) => [file.path, readModule(file)]));
  const context: Context = { modules, known: new Map() };
  return [...modules.values()]
    .filter(({ path }) => /\.(?:test|contract)\.ts$/.test(path))
    .flatMap((module) => testsIn(module).flatMap((test) => problemsOf(test, { ...context, module })));
}

// biome-ignore lint/suspicious/noExplicitAny: the parser's nodes, of which a dozen kinds are looked at
type Node = any;

interface Module {
  path: string;
  text: string;
  body: Node;
  /** Functions declared or assigned at any depth, by name. */
  functions: Map<string, Node>;
  /** Imported names, with the file and the name there. */
  imports: Map<string, { path: string; name: string }>;
  /** Names of constants whose value is a list with members. */
  lists: Set<string>;
}

interface Context {
  modules: Map<string, Module>;
  known: Map<Node, boolean>;
}

type Here = Context & { module: Module };

function problemsOf({ title, line, callback }: Test, here: Here): string[] {
  const where = `${here.module.path}:${line} "${title}"`;
  const problems = idleIn(callback).map((what) => `${where}: ${what}`);
  if (!asserts(callback, here)) {
    const some = contains(callback.body, (node) => isExpect(node));
    problems.push(`${where}: ${some ? 'asserts only in a branch' : 'asserts nothing'}`);
  }
  return problems;
}

/** Assertions that cannot fail. */
function idleIn(callback: Node): string[] {
  const found: string[] = [];
  walk(callback.body, (node) => {
    if (node.type === 'ExpressionStatement' && isCallOf(node.expression, 'expect')) {
      found.push('expect() without a matcher');
    }
    if (isCallOf(node, 'expect') && node.arguments[0]?.type === 'Literal') found.push('expects a literal');
    if (node.type === 'ExpressionStatement' && isSettling(node.expression)) {
      found.push('an expectation of a promise is not awaited');
    }
    return true;
  });
  return found;
}

/** `expect(promise).rejects.…()`: says nothing until it is awaited. */
function isSettling(node: Node): boolean {
  for (let at = node; at; at = at.type === 'CallExpression' ? at.callee : at.object) {
    if (at.type !== 'CallExpression' && at.type !== 'MemberExpression') return false;
    if (at.type === 'MemberExpression' && /^(?:rejects|resolves)$/.test(at.property.name ?? '')) return true;
  }
  return false;
}

/** Whether a function asserts on its way through, whatever its branches do. */
function asserts(fn: Node, here: Here): boolean {
  const known = here.known.get(fn);
  if (known !== undefined) return known;
  here.known.set(fn, false); // what calls itself asserts by what else it does
  const result = always(fn.body, here);
  here.known.set(fn, result);
  return result;
}

function always(node: Node, here: Here): boolean {
  if (!node || typeof node.type !== 'string') return false;
  switch (node.type) {
    case 'ThrowStatement':
      return true;
    case 'IfStatement':
    case 'ConditionalExpression':
      return (
        always(node.test, here) ||
        throwsIn(node.consequent) ||
        (always(node.consequent, here) && always(node.alternate, here))
      );
    case 'LogicalExpression':
      return always(node.left, here);
    case 'SwitchStatement':
      return always(node.discriminant, here);
    case 'TryStatement':
      return always(node.block, here) || always(node.finalizer, here);
    case 'ForOfStatement':
      return always(node.right, here) || (isFilled(node.right, here) && always(node.body, here));
    case 'ForInStatement':
    case 'WhileStatement':
      return always(node.right ?? node.test, here);
    case 'CallExpression':
      return callAsserts(node, here);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'ClassDeclaration':
      return false;
    default:
      return children(node).some((child) => always(child, here));
  }
}

function callAsserts(node: Node, here: Here): boolean {
  const { callee } = node;
  if (isExpect(node) || /^(?:assert|expectTypeOf)$/.test(rootOf(callee) ?? '')) return true;
  if (callee.type === 'Identifier' && functionNamed(callee.name, here)) return true;
  if (callee.type === 'MemberExpression') {
    if (always(callee.object, here)) return true;
    const name = callee.property.name;
    if (rootOf(callee) === 'fc' && name === 'assert') return true;
    if (/^(?:waitFor|expect|until)/.test(name)) return true;
    if (EACH.has(name) && !isFilled(callee.object, here)) return false;
    if (name === 'catch') return false;
  }
  return node.arguments.some((argument: Node) =>
    isFunction(argument) ? asserts(argument, here) : always(argument, here),
  );
}

/** Their callbacks run as often as there are members. */
const EACH = new Set(['map', 'flatMap', 'forEach', 'filter', 'find', 'some', 'every', 'reduce']);

function functionNamed(name: string, here: Here): boolean {
  const own = here.module.functions.get(name);
  if (own) return asserts(own, here);
  const imported = here.module.imports.get(name);
  const module = imported && here.modules.get(imported.path);
  return module ? functionNamed(imported.name, { ...here, module }) : false;
}

/** A list that has members as it is written. */
function isFilled(node: Node, here: Here): boolean {
  switch (node.type) {
    case 'ArrayExpression':
      return node.elements.some(
        (element: Node) => element.type !== 'SpreadElement' || isFilled(element.argument, here),
      );
    case 'Identifier':
      return here.module.lists.has(node.name);
    case 'CallExpression':
      return (
        node.callee.type === 'MemberExpression' &&
        /^(?:entries|map|keys|values|from)$/.test(node.callee.property.name) &&
        (isFilled(node.callee.object, here) ||
          node.arguments.some((argument: Node) => isFilled(argument, here)))
      );
    case 'ObjectExpression':
      return node.properties.length > 0;
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
      return isFilled(node.expression, here);
    default:
      return false;
  }
}

/** `if (…) throw …`: a check of its own. */
function throwsIn(node: Node): boolean {
  return contains(node, ({ type }) => type === 'ThrowStatement');
}

interface Test {
  title: string;
  line: number;
  callback: Node;
}

/**
 * Calls of `test` and `it`, with `.each(…)`, `.for(…)` and the like, and of functions of the file that pass what they are
 * given on to one of these.
 */
function testsIn({ body, text, functions }: Module): Test[] {
  const wrappers = new Set([...functions].filter(([, fn]) => wrappedTest(fn)).map(([name]) => name));
  const wrapped = new Set([...functions.values()].map(wrappedTest));
  const found: Test[] = [];
  walk(body, (node) => {
    const name = node.type === 'CallExpression' ? rootOf(node.callee) : null;
    if (name === null || !(isTestName(name) || wrappers.has(name))) return true;
    const callback = node.arguments.find(isFunction);
    if (!callback || wrapped.has(node)) return true;
    const title = node.arguments[0];
    found.push({
      title: text.slice(title.start + 1, title.end - 1),
      line: text.slice(0, node.start).split('\n').length,
      callback,
    });
    return false;
  });
  return found;
}

function isTestName(name: string): boolean {
  return name === 'test' || name === 'it';
}

/** The call of `test` in a function whose test calls one of that function's parameters. */
function wrappedTest(fn: Node): Node | undefined {
  const parameters = new Set(fn.params.map((parameter: Node) => parameter.name));
  let found: Node | undefined;
  walk(fn.body, (node) => {
    if (node.type === 'CallExpression' && isTestName(rootOf(node.callee) ?? '')) {
      const callback = node.arguments.find(isFunction);
      const passesOn = ({ type, callee }: Node) => type === 'CallExpression' && parameters.has(callee.name);
      if (callback && contains(callback.body, passesOn)) found = node;
    }
    return true;
  });
  return found;
}

function readModule({ path, text }: TestSource): Module {
  const body = parseSync(path, text).program;
  const module: Module = { path, text, body, functions: new Map(), imports: new Map(), lists: new Set() };
  walk(body, (node) => {
    if (node.type === 'ImportDeclaration' && node.source.value.startsWith('.')) {
      const from = posix.join(posix.dirname(path), node.source.value).replace(/\.js$/, '.ts');
      for (const { local, imported } of node.specifiers) {
        if (imported) module.imports.set(local.name, { path: from, name: imported.name });
      }
    }
    if (node.type === 'ExportNamedDeclaration' && node.source?.value.startsWith('.')) {
      const from = posix.join(posix.dirname(path), node.source.value).replace(/\.js$/, '.ts');
      for (const { local, exported } of node.specifiers) {
        module.imports.set(exported.name, { path: from, name: local.name });
      }
    }
    if (node.type === 'FunctionDeclaration' && node.id) module.functions.set(node.id.name, node);
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) {
      if (isFunction(node.init)) module.functions.set(node.id.name, node.init);
      if (isList(node.init)) module.lists.add(node.id.name);
    }
    return true;
  });
  return module;
}

function isList(node: Node): boolean {
  if (node.type === 'TSAsExpression' || node.type === 'TSSatisfiesExpression') return isList(node.expression);
  return (
    (node.type === 'ArrayExpression' &&
      node.elements.some((element: Node) => element.type !== 'SpreadElement')) ||
    (node.type === 'ObjectExpression' && node.properties.length > 0)
  );
}

function isFunction(node: Node): boolean {
  return node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';
}

/** `expect(…).toBe(…)`, `expect.soft(…)…`, `expect.fail()`. */
function isExpect(node: Node): boolean {
  return (
    node.type === 'CallExpression' && node.callee.type === 'MemberExpression' && rootOf(node) === 'expect'
  );
}

function isCallOf(node: Node, name: string): boolean {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === name;
}

/** The name a chain of calls and members begins with. */
function rootOf(node: Node): string | null {
  for (let at = node; at; ) {
    if (at.type === 'Identifier') return at.name;
    if (at.type === 'CallExpression') at = at.callee;
    else if (at.type === 'MemberExpression') at = at.object;
    else if (at.type === 'TaggedTemplateExpression') at = at.tag;
    else return null;
  }
  return null;
}

function contains(node: Node, is: (node: Node) => boolean): boolean {
  let found = false;
  walk(node, (each) => {
    found ||= is(each);
    return !found;
  });
  return found;
}

function walk(node: Node, visit: (node: Node) => boolean): void {
  if (!node || !visit(node)) return;
  for (const child of children(node)) walk(child, visit);
}

function children(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    (Array.isArray(value) ? value : [value]).filter((each: Node) => typeof each?.type === 'string'),
  );
}
