import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { isPostriderError, ManualClock, PostriderError, silentLogger } from '../../kernel/index.js';
import { catalogue, checkBrands, defineEmail, type EmailType } from '../../render/index.js';
import { createPreview, type Preview } from './create-preview.js';
import { previewRoutes } from './preview-routes.js';

let folder: string;
let preview: Preview;
let accepted: unknown[];
let app: Hono<{ Variables: { requestId: string } }>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'preview-'));
  for (const part of ['templates', 'locales']) cpSync(part, join(folder, part), { recursive: true });
  preview = createPreview({
    ...{ types: catalogue, appUrl: null, folder, clock: new ManualClock(), logger: silentLogger },
  });
  accepted = [];
  app = new Hono();
  app.onError(
    (error) => new Response(error.message, { status: isPostriderError(error) ? error.status : 500 }),
  );
  const accept = async (input: unknown) => {
    accepted.push(input);
    return { queued: true };
  };
  app.route('/', previewRoutes(preview, { accept, readJson: (c) => c.req.json() }));
});
afterEach(() => {
  preview.stop();
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body: object) =>
  app.request(path, { method: 'POST', body: JSON.stringify(body) });
const sampleOf = (type: string) => catalogue.find((one) => one.type === type)!.sample;

test('the page → its own script and style by hash, nothing else', async () => {
  const answer = await app.request('/dev/templates');
  const policy = answer.headers.get('content-security-policy')!;
  expect(policy).toMatch(
    /default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'/,
  );
  expect(await answer.text()).toContain('<title>Templates · Postrider</title>');
});

test('the list → every type with its samples, and the languages', async () => {
  const list = (await (await app.request('/dev/templates/types')).json()) as ReturnType<Preview['list']>;
  expect(list.types).toHaveLength(31);
  expect(list.types[0]!.languages).toEqual(['de', 'en', 'ko']);
  expect(list.companies).toEqual([]);
  const feed = list.types.find(({ type }) => type === 'RSS_REGISTRATION')!;
  expect(Object.keys(feed.samples)).toEqual(['sample', 'rejected']);
});

test('hostile data → shown as text, in a frame that runs nothing', async () => {
  const data = { ...(sampleOf('welcome') as object), name: '<script>alert(1)</script>' };
  const shown = (await (
    await post('/dev/templates/render', { type: 'welcome', lang: 'de', data })
  ).json()) as {
    id: string;
    subject: string;
    warnings: string[];
  };
  expect(shown).toMatchObject({ subject: 'Willkommen bei Eve', warnings: [] });
  const frame = await app.request(`/dev/templates/frames/${shown.id}`);
  expect(frame.headers.get('content-security-policy')).toMatch(
    /^sandbox allow-popups[^;]*; default-src 'none'/,
  );
  const html = await frame.text();
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).not.toMatch(/<script/i);
  expect((await app.request('/dev/templates/frames/nothing')).status).toBe(404);
});

test('a dark screen → the styles for dark hold whatever the reader has; a light one → they do not', async () => {
  const { id } = preview.render({ type: 'welcome', lang: 'en', data: sampleOf('welcome'), companyId: '' });
  const dark = await (await app.request(`/dev/templates/frames/${id}?screen=dark`)).text();
  expect(dark).toContain('@media (min-width:0){\n.paper');
  expect(dark).toContain('content="dark"');
  const light = await (await app.request(`/dev/templates/frames/${id}`)).text();
  expect(light).toContain('@media (max-width:0){\n.paper');
});

test.each([
  ['wrong data', { type: 'welcome', lang: 'en', data: {} }, 'data.name is missing'],
  ['an unknown type', { type: 'welcom', lang: 'en', data: {} }, 'did you mean welcome'],
  ['no language', { type: 'welcome', data: {} }, 'lang must be'],
  ['a language that is none', { type: 'welcome', lang: '../x', data: {} }, 'lang must be'],
])('%s → told', async (_, body, said) => {
  const answer = await post('/dev/templates/render', body);
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(await answer.text()).toContain(said);
});

test('sent to the inbox → the content as it is shown, with its files, not counted as its type', async () => {
  const data = sampleOf('meeting_scheduled');
  const answer = await post('/dev/templates/send', { type: 'meeting_scheduled', lang: 'ko', data });
  expect(answer.status).toBe(202);
  expect(accepted).toEqual([
    expect.objectContaining({
      subject: '모임: Third circle meeting',
      html: expect.stringContaining('<html lang="ko"'),
      attachments: [expect.objectContaining({ filename: 'meeting.ics' })],
      metadata: { preview: 'meeting_scheduled', lang: 'ko' },
    }),
  ]);
  expect(accepted[0]).not.toHaveProperty('type');
});

test('a file changes → told, and shown as it is now; a broken one → its line', async () => {
  const changed = () =>
    new Promise<void>((resolve) => {
      const stop = preview.subscribe(() => {
        stop();
        resolve();
      });
    });
  const texts = join(folder, 'locales', 'emails', 'en.json');
  const template = join(folder, 'templates', 'app', 'welcome.html');
  const show = () =>
    preview.render({ type: 'welcome', lang: 'en', data: sampleOf('welcome'), companyId: '' });
  show();
  let heard = changed();
  writeFileSync(texts, readFileSync(texts, 'utf8').replace('Welcome, {name}', 'Hej, {name}'));
  await heard;
  expect(show().html).toContain('>Hej, Ada</h1>');
  heard = changed();
  writeFileSync(template, `${readFileSync(template, 'utf8')}\n{{#if name}}`);
  await heard;
  expect(show).toThrow(/templates\/app\/welcome\.html line \d+: \{\{#if\}\} is never closed/);
  heard = changed();
  writeFileSync(texts, '{');
  await heard;
  writeFileSync(template, readFileSync('templates/app/welcome.html', 'utf8'));
  await changed();
  expect(show).toThrow(/locales\/emails\/en\.json is no JSON: /);
});

test('types and brands of the application → listed, shown in their languages and looks, read again when they change', async () => {
  preview.stop();
  const types = (subject: string) => [
    defineEmail({
      ...{ type: 'parcel', portal: 'org', category: 'orders', data: z.strictObject({}), sample: {} },
      content: { subject, html: '{{> paragraph text="Soon."}}', messages: { fr: {} } },
    }),
  ];
  let load = async (): Promise<readonly EmailType[]> => types('Second');
  const own = { types: types('First'), folder, load: () => load() };
  const brands = checkBrands([{ companyId: 'acme', name: 'Acme Ltd', logo: { file: logo(), width: 40 } }]);
  preview = createPreview({
    ...{
      types: catalogue,
      own,
      appUrl: null,
      brands,
      folder,
      clock: new ManualClock(),
      logger: silentLogger,
    },
  });
  const { types: listed, companies } = preview.list();
  expect(listed.find(({ type }) => type === 'parcel')).toMatchObject({ portal: 'org', languages: ['fr'] });
  expect(companies).toEqual(['acme']);
  const show = (companyId = '') => preview.render({ type: 'parcel', lang: 'fr', data: {}, companyId });
  expect(show().subject).toBe('First');
  expect(show('acme').html).toContain('alt="Acme Ltd"');
  const routes = previewRoutes(preview, { accept: async () => ({}), readJson: (c) => c.req.json() });
  const frame = await routes.request(`/dev/templates/frames/${show('acme').id}`);
  expect(await frame.text()).toContain('src="data:image/png;base64,');
  const heard = () => new Promise<void>((resolve) => preview.subscribe(resolve));
  let again = heard();
  writeFileSync(join(folder, 'emails.mjs'), '');
  await again;
  expect(show().subject).toBe('Second');
  load = () => Promise.reject(new PostriderError('INVALID_CONFIG', 'broken'));
  again = heard();
  writeFileSync(join(folder, 'emails.mjs'), 'x');
  await again;
  expect(show).toThrow(expect.objectContaining({ code: 'INVALID_TEMPLATE', message: 'broken' }));
});

test('a log that grows beside the templates → nobody is told', async () => {
  let told = 0;
  preview.subscribe(() => {
    told += 1;
  });
  const seen = new Promise<void>((resolve) => preview.subscribe(resolve));
  const kit = join(folder, 'templates', 'kit');
  for (let line = 0; line < 5; line++) writeFileSync(join(kit, 'dev.log'), 'x'.repeat(line));
  // Longer than a burst: the log alone would have been told by then.
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(told).toBe(0);
  writeFileSync(join(kit, 'note.txt'), 'y');
  await seen;
  expect(told).toBe(1);
});

function logo(): string {
  const file = join(folder, 'logo.png');
  writeFileSync(file, Buffer.from([0x89, 0x50, 0x4e, 0x47]));
  return file;
}

test('the stream → one event for each change, and it ends with its reader', async () => {
  const answer = await app.request('/dev/templates/stream');
  const reader = answer.body!.getReader();
  const next = async () => new TextDecoder().decode((await reader.read()).value);
  expect(await next()).toBe('retry: 1000\n\n');
  writeFileSync(join(folder, 'templates', 'kit', 'note.txt'), 'x');
  expect(await next()).toBe('event: changed\ndata: {}\n\n');
  await reader.cancel();
});
