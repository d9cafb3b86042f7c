import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cliForTest } from '../cli.fixture.js';

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function fileWith(text: string, name = 'data.json'): string {
  const folder = mkdtempSync(join(tmpdir(), 'templates-'));
  made.push(folder);
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

test('list → every type with what it promises, without opening the store', async () => {
  const { run, out, calls } = cliForTest();
  expect(await run('templates', 'list')).toBe(0);
  expect(out).toHaveLength(31);
  expect(out.find((line) => line.startsWith('password_reset '))).toMatch(
    /^password_reset +app +auth +priority 1 +3 per 1 h +expires in 1 h +sensitive$/,
  );
  expect(out.find((line) => line.startsWith('welcome '))).toContain('1 per person');
  expect(calls).toEqual([]);
});

test('list --json → the same as JSON', async () => {
  const { run, out } = cliForTest();
  await run('templates', 'list', '--json');
  expect(JSON.parse(out.join('\n'))).toContainEqual(
    expect.objectContaining({ type: 'inactivity', portal: 'app', limit: '1 per 14 d' }),
  );
});

test('preview → subject and text of the sample, nothing opened where nobody watches', async () => {
  const { run, out, calls } = cliForTest();
  expect(await run('templates', 'preview', 'admin_tfa', '--lang', 'de')).toBe(0);
  expect(out.join('\n')).toMatch(/^Subject: Ihr Anmeldecode\n\nHallo Ada,\n\n[\s\S]*482915/);
  expect(calls).toEqual([]);
});

test('preview before a person → the HTML is opened; --open no → it is not', async () => {
  const { run, calls } = cliForTest({ watched: true });
  await run('templates', 'preview', 'welcome');
  const path = (calls[0] as [string, string])[1];
  made.push(dirname(path));
  expect(calls).toEqual([['openFile', expect.stringMatching(/welcome\.en\.html$/)]]);
  expect(readFileSync(path, 'utf8')).toContain('<title>Welcome to Eve</title>');
  await run('templates', 'preview', 'welcome', '--open', 'no');
  expect(calls).toHaveLength(1);
});

test('preview --html or --text → that alone, with the links of the configuration', async () => {
  const { run, out } = cliForTest({ env: { APP_URL: 'https://shop.example' } });
  await run('templates', 'preview', 'welcome', '--html');
  expect(out[0]).toMatch(/^<!DOCTYPE html>/);
  expect(out[0]).toContain('https://shop.example/settings/emails');
  await run('templates', 'preview', 'welcome', '--text');
  expect(out[1]).toMatch(/^Hello Ada,/);
});

test('preview --data → the data of the file, and its control characters made visible', async () => {
  const data = fileWith(JSON.stringify({ title: 'Tea', note: 'Green\u001b[31m' }));
  const { run, out } = cliForTest();
  expect(await run('templates', 'preview', 'reminder', '--data', data)).toBe(0);
  expect(out.join('\n')).toContain('You asked us to remind you: Tea.');
  expect(out.join('\n')).toContain('> Green\\x1b[31m');
});

test.each([
  ['a field is missing', ['reminder', '--data', '{}'], 'data.title is missing'],
  ['the file is no JSON', ['reminder', '--data', '{'], 'cannot be read'],
  ['the type is unknown', ['remindr'], 'did you mean reminder'],
  ['--open is neither', ['reminder', '--open', 'maybe'], '--open takes yes or no'],
])('%s → told, and not 0', async (_, [type, ...rest], said) => {
  const args = rest.map((part, at) => (rest[at - 1] === '--data' ? fileWith(part) : part));
  const { run, notes } = cliForTest();
  expect(await run('templates', 'preview', type!, ...args)).not.toBe(0);
  expect(notes.join('\n')).toContain(said);
});

test('types and brands of the application → listed and shown, without opening the store', async () => {
  const types = fileWith(
    `export const x = { type: 'parcel', portal: 'org', category: 'orders', expiresInMs: null, rateLimit: null,
      sensitive: false, data: { safeParse: (data) => ({ success: true, data }) }, sample: {},
      content: { subject: 'On its way to {{brand.name}}', html: '{{> paragraph text="Soon."}}' } };`,
    'emails.mjs',
  );
  const brands = JSON.stringify([{ companyId: 'acme', name: 'Acme' }]);
  const { run, out, calls } = cliForTest({ env: { POSTRIDER_TYPES: types, POSTRIDER_BRANDS: brands } });
  expect(await run('templates', 'list')).toBe(0);
  expect(out.at(-1)).toMatch(/^parcel +org +orders/);
  expect(await run('templates', 'preview', 'parcel', '--company', 'acme')).toBe(0);
  expect(out.at(-1)).toMatch(/^Subject: On its way to Acme\n\nSoon\./);
  expect(calls).toEqual([]);
});
