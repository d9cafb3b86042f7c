import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** docs/PROMISES.md names the test behind each promise by file and part of its title; here they are looked up. */
const PROOF = /`([^`]+\.ts)`: “([^”]+)”/g;

describe('docs/PROMISES.md', () => {
  const page = readFileSync('docs/PROMISES.md', 'utf8');

  it('every promise → has a proof', () => {
    const rows = page.split('\n').filter((line) => /^\| (?!promise \|)/.test(line));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => proofsOf(row).length === 0)).toEqual([]);
  });

  it('every test it names → exists', () => {
    expect(proofsOf(page).flatMap(([file, title]) => missing(file, title))).toEqual([]);
  });

  it('a file or a title that is not there → is told', () => {
    expect(proofsOf('| A. | `test/none.test.ts`: “x → y” |').flatMap((proof) => missing(...proof))).toEqual([
      'test/none.test.ts does not exist',
    ]);
    const self = 'test/architecture/promises.test.ts';
    expect(missing(self, 'every test it names → exists')).toEqual([]);
    expect(missing(self, ['no such', 'title'].join(' '))).toEqual([`${self} has no test “no such title”`]);
    // Part of a line that is no title.
    expect(missing(self, 'readFileSync')).toHaveLength(1);
  });
});

function proofsOf(text: string): Array<[file: string, title: string]> {
  return [...text.matchAll(PROOF)].map((match) => [match[1]!, match[2]!]);
}

/** A title is a string that says case → outcome, on one line. */
function missing(file: string, title: string): string[] {
  if (!existsSync(file)) return [`${file} does not exist`];
  const titles = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /['"`](?:.* )?→ /.test(line));
  return titles.some((line) => line.includes(title)) ? [] : [`${file} has no test “${title}”`];
}
