import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openApplication } from '../../src/app.js';
import { checkConfig } from '../../src/config.js';
import { runCli } from '../../src/doors/cli/run-cli.js';
import { createPostrider, type Postrider } from '../../src/index.js';
import { PostriderError, silentLogger, systemClock } from '../../src/kernel/index.js';
import { createApi } from '../../src/server.js';
import { createTestDatabase, describeWith, type TestDatabase } from '../services/index.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/** A company's own templates from outside: over HTTP and from the command line, from draft to roll back. */
describeWith('postgres')('templates at the doors', () => {
  let database: TestDatabase;
  let postrider: Postrider;
  let api: ReturnType<typeof createApi>;
  let folder: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    folder = mkdtempSync(join(tmpdir(), 'templates-'));
    postrider = createPostrider({
      ...{ database: database.url, provider: scriptedProvider(), logger: silentLogger },
      from: { address: 'noreply@example.com' },
    });
    await postrider.ready();
    api = createApi(postrider, { apiKey: 'k', logger: silentLogger });
  });
  afterAll(async () => {
    await postrider?.stop({ deadlineMs: 2000 });
    rmSync(folder, { recursive: true, force: true });
    await database?.drop();
  });

  async function ask(method: string, path: string, body?: object) {
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await api(new Request(`http://localhost/admin/templates${path}`, init));
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  }

  /** With the store itself, or beside a process that keeps it and answers at its API. */
  async function command(args: string[], { isBeside = false } = {}) {
    const lines: string[] = [];
    const keep = (line: string) => void lines.push(line);
    const colors = new Proxy({}, { get: () => (text: string) => text }) as never;
    const code = await runCli(args, {
      ...{ version: '0', nodeVersion: 'v20', clock: systemClock, exitNow: () => undefined },
      fetch: (input, init) => api(new Request(input, init)),
      terminal: { out: keep, note: keep, redraw: keep, watched: false, colors },
      wait: async () => undefined,
      checkConfig: () =>
        checkConfig({
          file: null,
          env: { DATABASE_URL: database.url, LOG_LEVEL: 'fatal', POSTRIDER_API_KEY: 'k' },
          development: true,
        }),
      openApplication: async (config) => {
        if (isBeside) throw new PostriderError('STORE_LOCKED', 'It is used by another process.');
        return openApplication(config);
      },
      openFile: async () => false,
      readPassword: async () => '',
      signals: process,
    });
    return { code, said: lines.join('\n') };
  }

  test('over HTTP: draft, preview, publish, roll back, switch off → each answers with the version', async () => {
    const at = '/welcome/en';
    const draft = {
      companyId: 'acme',
      subject: 'Hi {{name}}',
      htmlContent: '<p>First</p>',
      updatedBy: 'grace',
    };
    const saved = await ask('PUT', `${at}/draft`, draft);
    expect(saved).toMatchObject({ status: 200, body: { version: 1, state: 'draft', updatedBy: 'grace' } });
    const shown = await ask('POST', `${at}/preview`, {
      companyId: 'acme',
      version: 1,
      data: { name: 'Ada' },
    });
    expect(shown.body).toMatchObject({
      subject: 'Hi Ada',
      html: expect.stringContaining('First'),
      images: [],
    });
    const unsaved = { companyId: 'acme', content: { subject: 'New', htmlContent: '<p>x</p>' } };
    expect((await ask('POST', `${at}/preview`, unsaved)).body.subject).toBe('New');
    const who = { companyId: 'acme', updatedBy: 'ada' };
    expect((await ask('POST', `${at}/publish`, who)).body).toMatchObject({ version: 1, state: 'published' });
    await ask('PUT', `${at}/draft`, { ...draft, htmlContent: '<p>Second</p>' });
    await ask('POST', `${at}/publish`, who);
    const back = await ask('POST', `${at}/roll-back`, who);
    expect(back.body).toMatchObject({ version: 3, htmlContent: '<p>First</p>', isActive: true });
    const off = await ask('POST', `${at}/active`, { ...who, isActive: false });
    expect(off.body).toMatchObject({ version: 3, isActive: false });
    const { body: all } = await ask('GET', '?companyId=acme');
    expect(all.types).toHaveLength(31);
    expect(all.overrides).toEqual([
      expect.objectContaining({ type: 'welcome', version: 3, isActive: false }),
    ]);
    expect(all.overrides[0]).not.toHaveProperty('htmlContent');
    const { body: versions } = await ask('GET', `${at}?companyId=acme`);
    expect(versions.versions.map((one: { version: number }) => one.version)).toEqual([3, 2, 1]);
    expect((await ask('GET', '?companyId=other')).body.overrides).toEqual([]);
    expect((await ask('GET', `${at}?companyId=other`)).body.versions).toEqual([]);
  });

  const squeezed = (body: object) => JSON.stringify(body).replace(/(?:\\n)+/g, '\n');
  test('what the code says → comes as an override would be written, and is one that holds in every language', async () => {
    const { body: listed } = await ask('GET', '');
    expect(listed.types.length).toBeGreaterThan(10);
    for (const { type, languages } of listed.types) {
      const { own } = (await ask('GET', `/${type}/en`)).body;
      expect(own.subject, type).not.toBe('');
      expect(own.htmlContent).not.toContain('{{#subject}}');
      for (const lang of languages) {
        const [theirs, ours] = await Promise.all([
          ask('GET', `/${type}/${lang}/preview?companyId=nobody`),
          ask('POST', `/${type}/${lang}/preview`, { companyId: 'nobody', content: own }),
        ]);
        expect([theirs.status, ours.status], `${type} ${lang}`).toEqual([200, 200]);
        expect(squeezed(ours.body)).toEqual(squeezed(theirs.body));
      }
    }
  });

  test('a version looked at → that version; one there is not → 404; no number → refused', async () => {
    const shown = await ask('GET', '/welcome/de/preview?companyId=acme&version=1');
    expect(shown.status).toBe(404);
    expect((await ask('GET', '/welcome/de/preview?version=x')).body).toMatchObject({ field: 'version' });
    await ask('PUT', '/welcome/de/draft', { companyId: 'acme', subject: 'Servus', htmlContent: '<p>x</p>' });
    const draft = await ask('GET', '/welcome/de/preview?companyId=acme&version=1');
    expect(draft.body).toMatchObject({ subject: 'Servus', images: [] });
    expect((await ask('GET', '/welcome/de/preview?companyId=acme')).body.subject).not.toBe('Servus');
  });

  test('nobody named → whoever holds the key did it', async () => {
    const draft = { subject: 'x', htmlContent: '<p>x</p>' };
    const { body } = await ask('PUT', '/streak_warning/en/draft', draft);
    expect(body).toMatchObject({ updatedBy: 'operator key', companyId: 'default' });
  });

  test('a draft that is not wanted → gone; a second time → 404', async () => {
    const draft = { companyId: 'acme', subject: 'x', htmlContent: '<p>x</p>', updatedBy: 'grace' };
    await ask('PUT', '/inactivity/de/draft', draft);
    expect((await ask('DELETE', '/inactivity/de/draft?companyId=acme')).status).toBe(204);
    expect((await ask('DELETE', '/inactivity/de/draft?companyId=acme')).status).toBe(404);
  });

  const good = { subject: 'x', htmlContent: '<p>x</p>', updatedBy: 'grace' };
  test.each([
    [
      'broken HTML',
      'PUT',
      '/welcome/en/draft',
      { ...good, htmlContent: '<p>\n{{nmae}}' },
      422,
      'html line 2',
    ],
    [
      'an author without a name',
      'PUT',
      '/welcome/en/draft',
      { ...good, updatedBy: '' },
      400,
      'updatedBy must',
    ],
    [
      'NUL in the content',
      'PUT',
      '/welcome/en/draft',
      { ...good, htmlContent: 'a\u0000' },
      400,
      'htmlContent contains',
    ],
    ['half a character', 'PUT', '/welcome/en/draft', { ...good, subject: '\ud800' }, 400, 'subject'],
    [
      'a hostile company',
      'PUT',
      '/welcome/en/draft',
      { ...good, companyId: "a'; --" },
      400,
      'companyId must',
    ],
    [
      'a company that is no text',
      'POST',
      '/welcome/en/publish',
      { companyId: 7, updatedBy: 'x' },
      400,
      'companyId',
    ],
    ['an unknown type', 'PUT', '/welcom/en/draft', good, 400, 'did you mean welcome'],
    ['a language that is none', 'PUT', '/welcome/e/draft', good, 400, 'lang must'],
    ['a misspelt field', 'PUT', '/welcome/en/draft', { ...good, html: 'x' }, 400, 'html'],
    [
      'a version that is none',
      'POST',
      '/welcome/en/roll-back',
      { updatedBy: 'x', version: 'a' },
      400,
      'version must',
    ],
    ['nothing to publish', 'POST', '/reminder/en/publish', { updatedBy: 'x' }, 404, 'has no draft'],
    [
      'isActive that is no answer',
      'POST',
      '/welcome/en/active',
      { updatedBy: 'x', isActive: 1 },
      400,
      'isActive',
    ],
  ])('%s → refused and said', async (_, method, path, body, status, said) => {
    const answer = await ask(method, path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toContain(said);
  });

  test('without the key → 401', async () => {
    const answer = await api(new Request('http://localhost/admin/templates'));
    expect(answer.status).toBe(401);
  });

  test.each([
    ['with the store', 'shop', false],
    ['beside the process that has the store', 'beside', true],
  ])(
    'from the command line %s: draft, preview, publish, versions, roll back',
    async (_, company, isBeside) => {
      const cli = (...args: string[]) => command(args, { isBeside });
      const html = join(folder, 'own.html');
      const of = ['reminder', '--company', company, '--lang', 'de'];
      writeFileSync(html, '<p>\n{{nmae}}</p>');
      const broken = await cli('templates', 'draft', ...of, '--subject', 'Hallo', '--html', html);
      expect(broken.code).not.toBe(0);
      expect(broken.said).toContain('html line 2: "nmae" is not a field');
      writeFileSync(html, '<p>Eigener Text</p>');
      const draft = ['templates', 'draft', ...of, '--subject', 'Hallo', '--html', html, '--by', 'grace'];
      expect(await cli(...draft)).toEqual({ code: 0, said: 'Saved version 1 as a draft.' });
      expect((await cli('templates', 'preview', ...of, '--stored', '1', '--text')).said).toContain(
        'Eigener Text',
      );
      expect((await cli('templates', 'publish', ...of)).said).toBe('Version 1 is published.');
      await cli(...draft);
      await cli('templates', 'publish', ...of);
      expect((await cli('templates', 'roll-back', ...of, '--to', '1')).said).toContain(
        'Version 3 is published',
      );
      expect((await cli('templates', 'active', ...of, 'no')).said).toBe('The content of the code is used.');
      expect((await cli('templates', 'versions', ...of)).said).toMatch(
        /^version 3 +published, not used .*\nversion 2 +retired/,
      );
      expect((await cli('templates', 'overrides', '--company', company)).said).toMatch(
        new RegExp(`^${company} +reminder +de +version 3`),
      );
      expect((await cli('templates', 'discard', ...of)).said).toBe('There was no draft.');
      await cli(...draft);
      expect((await cli('templates', 'discard', ...of)).said).toBe('The draft is gone.');
    },
  );
});
