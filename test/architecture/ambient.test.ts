import { describe, expect, it } from 'vitest';
import { checkAmbient } from './ambient-rules.js';
import { readSources } from './source-file.js';

describe('environment, clock and randomness', () => {
  it('the sources → only kernel touches them', () => {
    expect(readSources().flatMap(checkAmbient)).toEqual([]);
  });

  it.each([
    'const host = process.env.HOST;',
    'const { env } = process;',
    "import { env } from 'node:process';",
    'const now = Date.now();',
    'const clock = Date.now;',
    'const now = new Date();',
    'const now = new Date;',
    'const now = Date();',
    'const t = performance.now();',
    'const t = process.hrtime.bigint();',
    'const r = Math.random();',
    `const text = \`now \${Date.now()}\`;`,
  ])('%s → refused outside kernel, allowed in kernel and in tests', (text) => {
    expect(checkAmbient({ path: 'outbox/x.ts', text })).toHaveLength(1);
    expect(checkAmbient({ path: 'app.ts', text })).toHaveLength(1);
    expect(checkAmbient({ path: 'kernel/x.ts', text })).toEqual([]);
    expect(checkAmbient({ path: 'outbox/x.test.ts', text })).toEqual([]);
  });

  it.each([
    'const at = new Date(row.at);',
    'const day = toDate(x);',
    'clock.now();',
    '// Date.now() is not used',
    "const help = 'process.env';",
    'spawn(program, { env: options.env });',
  ])('%s → allowed', (text) => {
    expect(checkAmbient({ path: 'outbox/x.ts', text })).toEqual([]);
  });
});
