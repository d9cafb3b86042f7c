import { expect, test } from 'vitest';

/** What `npm run mutants` plants. Its list of accepted faults must name faults that exist. */
interface Fault {
  kind: string;
  names: string[];
  after: string;
}
const scripts = new URL('../../scripts/mutants/', import.meta.url);
const load = (name: string) => import(new URL(name, scripts).href);
const { findMutants } = (await load('find-mutants.mjs')) as {
  findMutants(file: string, text: string): Fault[];
};
const { readAccepted } = (await load('read-accepted.mjs')) as {
  readAccepted(root: string): Map<string, string>;
};

const planted = (text: string) => findMutants('x.ts', text).map(({ kind, after }) => `${kind}: ${after}`);

test('the accepted faults → each exists and has a reason', () => {
  expect(() => readAccepted('.')).not.toThrow();
});

test.each([
  ['a comparison', 'const a = b < c;', ['compare: const a = b <= c;']],
  ['both sides of and', 'const a = b && c;', ['condition: const a = b;', 'condition: const a = c;']],
  ['a choice', 'const a = Math.min(b, c);', ['choice: const a = Math.max(b, c);']],
  ['some', 'const a = b.some(c);', ['choice: const a = b.every(c);']],
  ['a limit of a product', 'const A = 60 * 1000;', ['constant: const A = 600 * 1000;']],
  ['the next token', 'const a = token + 1;', ['arithmetic: const a = token - 1;']],
  ['a step of a function', 'function f() { g(); }', ['step: function f() { ; }']],
  ['a guard', 'if (a) throw b;', ['guard: if (false) throw b;']],
])('%s → planted', (_, text, faults) => {
  expect(planted(text)).toEqual(faults);
});

test.each([
  [
    'and tenant',
    'select 1 from t where id = $1 and tenant = $2',
    'sql tenant: `… where id = $1 and (tenant = $2 or true)`',
  ],
  [
    'where tenant',
    'delete from t where tenant = $1 and id = $2',
    'sql tenant: `… where (tenant = $1 or true) and id = $2`',
  ],
  [
    'or',
    'select 1 from t where $1::text is null or tenant = $1',
    'sql condition: `… where $1::text is null or (tenant = $1 and false)`',
  ],
  [
    'a join',
    'select 1 from t join u on u.tenant = t.tenant',
    'sql tenant: `… join u on (u.tenant = t.tenant or true)`',
  ],
  ['a token', 'update t set a = 1 where t.token = $1', 'sql token: `… where (t.token = $1 or true)`'],
  ['a cursor', 'select 1 from t where id < $1', 'sql compare: `… where id <= $1`'],
  [
    'an age',
    "delete from t where at < now() - interval '24 hours'",
    "sql constant: `… interval '240 hours'`",
  ],
  ['the next token', 'update t set token = t.token + 1', 'sql arithmetic: `… token = t.token`'],
  [
    'a second assignment',
    'update t set a = 1, owner = null where id = $1',
    'sql step: `… set a = 1 where id = $1`',
  ],
  ['least', 'select least($1, a) from t', 'sql choice: `… greatest($1, a) from t`'],
  ['the newest first', 'select 1 from t where a = 1 order by id desc', 'sql order: `… order by id`'],
])('%s of a statement → planted', (_, sql, fault) => {
  const [kind, after] = fault.split(': `… ') as [string, string];
  expect(planted(`const A = \`${sql}\`;`)).toContainEqual(
    expect.stringMatching(new RegExp(`^${kind}: .*${escaped(after)}`)),
  );
});

test.each([
  ['prose', 'const says = "Choose where the tenant is and update it";'],
  ['a line of the log', 'function f() { logger.warn({}, "a"); }'],
  ['a type', 'type A = { b: 2 } | 3;'],
  ['an index', 'const a = b[2];'],
])('%s → nothing', (_, text) => {
  expect(planted(text)).toEqual([]);
});

function escaped(text: string): string {
  return text.replace(/[$()[\]*+?.|^]/g, '\\$&');
}
