import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfigFile } from './read-config-file.js';

const folder = mkdtempSync(join(tmpdir(), 'postrider-config-'));
afterAll(() => rmSync(folder, { recursive: true }));

function written(content: string): string {
  const path = join(folder, 'settings.json');
  writeFileSync(path, content);
  return path;
}

it('a named file → its content and path', () => {
  const path = written('{"http":{"port":1}}');
  expect(readConfigFile({}, path)).toEqual({ file: { path, content: { http: { port: 1 } } }, problems: [] });
  expect(readConfigFile({ POSTRIDER_CONFIG: path }).file?.path).toBe(path);
});

it('null → no file is read, whatever the environment says', () => {
  expect(readConfigFile({ POSTRIDER_CONFIG: written('{') }, null)).toEqual({ file: null, problems: [] });
});

it('the usual file missing → no problem; a named one missing → a problem', () => {
  expect(readConfigFile({})).toEqual({ file: null, problems: [] });
  expect(readConfigFile({ POSTRIDER_CONFIG: join(folder, 'none.json') }).problems).toEqual([
    { key: join(folder, 'none.json'), source: 'config file', message: 'does not exist' },
  ]);
});

it.each(['{"http":', '', '\u0000'])('broken JSON %j → a problem with the place', (content) => {
  expect(readConfigFile({}, written(content)).problems[0]?.message).toMatch(/^is not readable JSON/);
});

it('a folder instead of a file → a problem', () => {
  expect(readConfigFile({}, folder).problems).toHaveLength(1);
});
