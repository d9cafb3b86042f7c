import { describe, expect, test } from 'vitest';
import { findEmptyTests } from './assertion-rules.js';
import { readSources } from './source-file.js';

test('every test → asserts something that can fail, whatever its branches do', () => {
  const files = ['src', 'test', 'dashboard', 'bench'].flatMap((root) =>
    readSources(root).map(({ path, text }) => ({ path: `${root}/${path}`, text })),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(findEmptyTests(files)).toEqual([]);
});

describe('the rule', () => {
  const helper = {
    path: 'test/ground/helper.ts',
    text: `export function check(x: number) { if (x > 1) throw new Error('x'); }
           export async function whole() { await inner(); }
           async function inner() { expect(1 + 1).toBe(2); }
           export const idle = () => 1;`,
  };
  const judge = (body: string) => {
    const text = `import { check, idle, whole } from './ground/helper.js';
const FILLED = [1, 2];
${body}`;
    return findEmptyTests([helper, { path: 'test/a.test.ts', text }]).map((line) =>
      line.replace(/^.*": /, ''),
    );
  };

  test.each([
    ["test('x', () => { expect(f()).toBe(1) })"],
    ["test('x', async () => { await expect(f()).rejects.toThrow() })"],
    ["test.each([1])('x', (n) => { check(n) })"],
    ["it('x', whole_ => { return whole() })"],
    ["test('x', async () => { await page.waitFor('a') })"],
    ["test('x', () => { for (const n of FILLED) expect(n).toBe(1) })"],
    ["test('x', () => { for (const n of [1]) expect(n).toBe(1) })"],
    ["test('x', () => { fc.assert(fc.property(any, (n) => { expect(n).toBe(1) })) })"],
    ["test('x', () => { open(async () => { expect(1 + 1).toBe(2) }) })"],
    ["test('x', () => { if (a) expect(a).toBe(1); else expect(b).toBe(1) })"],
    ["const mine = (title, body) => test(title, () => body(1)); mine('x', () => { expect(f()).toBe(1) })"],
  ])('%s → passes', (body) => {
    expect(judge(body)).toEqual([]);
  });

  test.each([
    ["test('x', () => {})", 'asserts nothing'],
    ["test('x', () => { idle() })", 'asserts nothing'],
    ["test('x', async () => { await send() })", 'asserts nothing'],
    ["test('x', () => { if (a) expect(a).toBe(1) })", 'asserts only in a branch'],
    ["test('x', () => { a && expect(a).toBe(1) })", 'asserts only in a branch'],
    ["test('x', () => { try { f() } catch (e) { expect(e).toBe(1) } })", 'asserts only in a branch'],
    ["test('x', () => { for (const n of list()) expect(n).toBe(1) })", 'asserts only in a branch'],
    ["test('x', () => { list().forEach((n) => expect(n).toBe(1)) })", 'asserts only in a branch'],
    ["test('x', () => { expect(true).toBe(true) })", 'expects a literal'],
    ["test('x', () => { expect(1 + 1).toBe(2); expect(a) })", 'expect() without a matcher'],
    [
      "test('x', () => { expect(1 + 1).toBe(2); expect(f()).rejects.toThrow() })",
      'an expectation of a promise is not awaited',
    ],
    ["const mine = (title, body) => test(title, () => body(1)); mine('x', () => {})", 'asserts nothing'],
  ])('%s → %s', (body, problem) => {
    expect(judge(body)).toEqual([problem]);
  });
});
