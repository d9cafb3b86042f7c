import { describe, expect, it } from 'vitest';
import { importsOf } from './imports-of.js';
import { scanSource } from './scan-source.js';
import { readSources } from './source-file.js';

describe('scanning', () => {
  it.each([
    ['a line comment', '// SECRET\nseen'],
    ['a block comment', '/* SECRET\n * SECRET */ seen'],
    ['a string with an escaped quote', `x = 'it\\'s SECRET'; seen`],
    ['a string holding a comment mark', `x = "// SECRET"; seen`],
    ['a template', 'x = `SECRET\n// SECRET`; seen'],
    ['a regular expression with a quote', `x = /['"SECRET]/.test(y); seen`],
    ['a regular expression with a slash in a class', 'return /[/SECRET]/; seen'],
  ])('%s → blanked, the code after it is kept', (_, text) => {
    const { code } = scanSource(text);
    expect(code).not.toContain('SECRET');
    expect(code).toContain('seen');
    expect(code).toHaveLength(text.length);
  });

  it('code interpolated into a template, nested too → kept', () => {
    const { code } = scanSource(`x = \`a \${one({ b: \`c \${two} d\` })} e\`; three / 2 / 3; four`);
    expect(code.match(/\w+/g)).toEqual(['x', 'one', 'b', 'two', 'three', '2', '3', 'four']);
  });

  it('every form of import → found', () => {
    const text = `
      import a, { type B } from './a.js';
      import type { C } from "../outbox/index.js";
      export * from './d.js';
      export { e } from 'hono/factory';
      import './f.js';
      const g = await import('@electric-sql/pglite/worker');
      type H = import('pg').Pool;
      const i = require('nodemailer');
      new Worker(new URL('./j.js', import.meta.url));
      await import(name);
      import { k } from 'node:fs';
      // import l from 'comment';
      const m = "import n from 'string'";`;
    expect(importsOf({ path: 'store/x.ts', text })).toEqual(
      expect.arrayContaining([
        { kind: 'file', path: 'store/a.ts' },
        { kind: 'file', path: 'outbox/index.ts' },
        { kind: 'file', path: 'store/d.ts' },
        { kind: 'package', name: 'hono' },
        { kind: 'file', path: 'store/f.ts' },
        { kind: 'package', name: '@electric-sql/pglite' },
        { kind: 'package', name: 'pg' },
        { kind: 'package', name: 'nodemailer' },
        { kind: 'file', path: 'store/j.ts' },
        { kind: 'computed' },
        { kind: 'node', name: 'fs' },
      ]),
    );
    expect(importsOf({ path: 'store/x.ts', text })).toHaveLength(11);
  });

  it('the sources of this repository → every file import names a file that exists', () => {
    const files = readSources();
    const paths = new Set(files.map((file) => file.path));
    expect(files.length).toBeGreaterThan(10);
    const missing = files.flatMap((file) =>
      importsOf(file).flatMap((found) =>
        found.kind === 'file' &&
        found.path.endsWith('.ts') &&
        !found.path.startsWith('../') &&
        !paths.has(found.path)
          ? [`${file.path} → ${found.path}`]
          : [],
      ),
    );
    expect(missing).toEqual([]);
  });
});
