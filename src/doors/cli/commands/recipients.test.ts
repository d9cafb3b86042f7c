import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliForTest } from '../cli.fixture.js';

function file(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'postrider-recipients-')), name);
  writeFileSync(path, text);
  return path;
}

test('recipients import → every row reaches the application, and the counts are told', async () => {
  const seen: unknown[] = [];
  const cli = cliForTest({
    application: {
      importRecipients: async (people) => {
        for await (const person of people) seen.push({ ...(person as object) });
        return { created: 1, updated: 1 };
      },
    },
  });
  const path = file('people.csv', 'email,name\nada@example.com,Ada\nbo@example.com,Bo\n');
  expect(await cli.run('recipients', 'import', path, '--company', 'acme')).toBe(0);
  expect(seen).toEqual([
    { email: 'ada@example.com', name: 'Ada' },
    { email: 'bo@example.com', name: 'Bo' },
  ]);
  expect(cli.out).toEqual(['1 created, 1 updated']);
});

test('a file that says no format → refused with the option that would', async () => {
  const cli = cliForTest();
  expect(await cli.run('recipients', 'import', file('people.txt', ''))).not.toBe(0);
  expect(cli.notes.join('\n')).toContain('--format');
  expect(cli.calls).toEqual([]);
});

test('a file that is not there → a fault that names it, not a silent nothing', async () => {
  const cli = cliForTest({
    application: {
      importRecipients: async (people) => {
        for await (const _ of people);
        return { created: 0, updated: 0 };
      },
    },
  });
  expect(await cli.run('recipients', 'import', '/nowhere/people.csv')).not.toBe(0);
  expect(cli.notes.join('\n')).toContain('/nowhere/people.csv');
});
