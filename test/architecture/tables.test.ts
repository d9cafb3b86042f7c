import { describe, expect, it } from 'vitest';
import { readSources } from './source-file.js';
import { checkTables } from './sql-rules.js';

describe('tables', () => {
  it('the sources → SQL lives in the room that owns the table, and views write nothing', () => {
    expect(readSources().flatMap(checkTables)).toEqual([]);
  });

  it.each([
    ['another room reads', 'intake/x.ts', 'select 1 from postrider.email_queue', 'belongs to outbox'],
    [
      'another room writes',
      'outbox/x.ts',
      'insert into postrider.recipients(id) values ($1)',
      'to recipients',
    ],
    ['without the schema', 'policy/x.ts', 'select 1 from emails e', 'belongs to outbox'],
    [
      'under another schema',
      'policy/x.ts',
      `update \${schema}.email_queue set token = 1`,
      'belongs to outbox',
    ],
    ['quoted', 'store/x.ts', 'select 1 from "postrider"."emails"', 'belongs to outbox'],
    [
      'a part of a statement',
      'doors/http/x.ts',
      'left join postrider.workers w on true',
      'belongs to outbox',
    ],
    ['the root', 'app.ts', 'select 1 from postrider.pauses', 'belongs to outbox'],
    ['an unlisted table', 'outbox/x.ts', 'select 1 from postrider.novelties n', 'nobody is named'],
    ['alerts write', 'alerts/x.ts', 'delete from postrider.email_queue', 'belongs to outbox'],
    ['views insert', 'views/x.ts', 'insert into postrider.emails (id) values ($1)', 'views write nothing'],
    ['views update', 'views/x.ts', 'update postrider.email_queue q set token = 1', 'views write nothing'],
    [
      'views delete',
      'views/x.ts',
      'with gone as (delete from postrider.emails) select 1',
      'views write nothing',
    ],
  ])('%s → refused', (_, path, sql, problem) => {
    expect(checkTables({ path, text: `const statement = \`${sql}\`;` })).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  it.each([
    ['the owner', 'outbox/x.ts', 'update postrider.email_queue set token = token + 1'],
    [
      'views read',
      'views/x.ts',
      'select updated from postrider.emails join postrider.recipients r using (id)',
    ],
    ['alerts read', 'alerts/x.ts', 'select from postrider.email_queue where ready'],
    ['a function', 'intake/x.ts', 'select * from postrider.accept_v1($1)'],
    ['prose', 'kernel/x.ts', 'An update from recipients or workers'],
    ['a test looks', 'pipeline/x.test.ts', 'select 1 from postrider.email_queue'],
  ])('%s → allowed', (_, path, sql) => {
    expect(checkTables({ path, text: `const statement = \`${sql}\`;` })).toEqual([]);
  });

  it('a table in a comment → allowed', () => {
    expect(checkTables({ path: 'intake/x.ts', text: '// writes postrider.emails' })).toEqual([]);
  });
});
