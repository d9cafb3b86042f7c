import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createHttpApp,
  type HttpRooms,
  type HttpServer,
  startHttpServer,
} from '../../src/doors/http/index.js';
import { createPreview, type Preview } from '../../src/doors/preview/index.js';
import { newId, silentLogger, systemClock } from '../../src/kernel/index.js';
import { catalogue } from '../../src/render/index.js';
import { describeWith, openBrowser } from '../services/index.js';

/** The page of templates as a developer uses it: look, change, save a file, send; and what hostile data may do there. */
const HOST = '127.0.0.1';

/** Of the browser, which the compiler does not know here. */
interface Looking {
  getComputedStyle(element: unknown): Record<string, string>;
}

describeWith('chromium')('the page of templates in Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let folder: string;
  let preview: Preview;
  let server: HttpServer;
  let accepted: Array<Record<string, unknown>>;
  let dialogs: string[];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'templates-page-'));
    for (const part of ['templates', 'locales']) cpSync(part, join(folder, part), { recursive: true });
    preview = createPreview({
      ...{ types: catalogue, appUrl: null, folder, clock: systemClock, logger: silentLogger },
    });
    accepted = [];
    dialogs = [];
    const options = { logger: silentLogger, clock: systemClock, bodyLimitBytes: 1_000_000 };
    server = await startHttpServer({
      app: createHttpApp({ ...options, rooms: rooms(), preview }),
      host: HOST,
      port: 0,
    });
    context = await browser.newContext({ viewport: { width: 1300, height: 800 }, colorScheme: 'light' });
    page = await context.newPage();
    page.setDefaultTimeout(120_000);
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      return dialog.accept();
    });
    await page.goto(`http://${HOST}:${server.port}/dev/templates`);
    await page.getByText('Live', { exact: true }).waitFor();
  });
  afterEach(async () => {
    await context.close();
    preview.stop();
    await server.stop({ deadlineMs: 1000 });
    rmSync(folder, { recursive: true, force: true });
  });

  const email = () => page.frameLocator('iframe');
  const lookOf = (what: Locator, property: string): Promise<string> =>
    what.evaluate((element, name) => {
      const { getComputedStyle } = globalThis as unknown as Looking;
      return getComputedStyle(element)[name]!;
    }, property);
  const fill = (data: object | string) =>
    page.locator('#data').fill(typeof data === 'string' ? data : JSON.stringify(data));

  test('type, language, screen and part → each shown', async () => {
    expect(await page.locator('nav a').count()).toBe(catalogue.length);
    await page.getByRole('link', { name: 'meeting_scheduled', exact: true }).click();
    await page.locator('#lang').selectOption('ko');
    await email().getByText('모임 참여하기').waitFor();
    const card = email().locator('td.card');
    expect(await lookOf(card, 'backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.getByRole('button', { name: 'Dark' }).click();
    await expect.poll(() => lookOf(card, 'backgroundColor')).toBe('rgb(29, 35, 39)');
    await page.getByRole('button', { name: 'Phone' }).click();
    await expect.poll(async () => (await page.locator('iframe').boundingBox())?.width).toBe(390);
    await expect.poll(() => lookOf(card, 'paddingLeft')).toBe('22px');
    await page.getByRole('button', { name: 'Text' }).click();
    await page.locator('#pane pre', { hasText: 'Ada님, 안녕하세요.' }).waitFor();
    await page.getByText('meeting.ics').click();
    await page.locator('details pre', { hasText: 'BEGIN:VCALENDAR' }).waitFor();
  });

  test('data that does not fit, or is no JSON → the error; mended → shown', async () => {
    await page.getByRole('link', { name: 'admin_tfa' }).click();
    await email().getByText('482915').waitFor();
    await fill({ name: 'Ada', code: '12', expiresInMinutes: 5 });
    await page.locator('#error', { hasText: 'data.code does not fit: it must be six digits' }).waitFor();
    await fill('{');
    await page.locator('#error', { hasText: 'The data is not JSON' }).waitFor();
    await fill({ name: 'Ada', code: '123456', expiresInMinutes: 5 });
    await email().getByText('123456').waitFor();
    expect(await page.locator('#error').isVisible()).toBe(false);
  });

  test('data that does not fit → the preview before it is dimmed until it fits again', async () => {
    await page.getByRole('link', { name: 'admin_tfa' }).click();
    await email().getByText('482915').waitFor();
    expect(await lookOf(page.locator('#pane'), 'opacity')).toBe('1');
    await fill('{');
    await expect.poll(() => lookOf(page.locator('#pane'), 'opacity')).toBe('0.35');
    expect(await lookOf(page.locator('#subject'), 'opacity')).toBe('0.35');
    await page.locator('#reset').click();
    await expect.poll(() => lookOf(page.locator('#pane'), 'opacity')).toBe('1');
  });

  test('a phone → nothing is wider than the screen, no label is broken', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole('link', { name: 'meeting_scheduled', exact: true }).click();
    await email().getByText('Join the meeting').waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(360);
    const main = 'main.scrollWidth - main.clientWidth';
    expect(await page.evaluate(`{ const main = document.querySelector('main'); ${main} }`)).toBe(0);
    const send = await page.getByRole('button', { name: 'Send to the inbox' }).boundingBox();
    expect(send!.height).toBeLessThan(50);
    expect(send!.x + send!.width).toBeLessThanOrEqual(360);
  });

  test('the column of types → every name on one line', async () => {
    const heights = 'new Set([...document.querySelectorAll("nav a")].map((link) => link.offsetHeight)).size';
    expect(await page.evaluate(heights)).toBe(1);
  });

  test('hostile data → shown as text everywhere, nothing runs', async () => {
    const hostile = `"><img src=x onerror=alert(1)><script>alert(2)</script>{{app.url}}`;
    await page.getByRole('link', { name: 'reminder', exact: true }).click();
    await fill({ name: hostile, title: hostile, note: hostile });
    await email().locator('h1', { hasText: hostile }).waitFor();
    expect(await page.locator('#subject').textContent()).toBe(`Reminder: ${hostile}`);
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toMatch(/scripts|same-origin|forms/);
    for (const part of ['Text', 'Source']) {
      await page.getByRole('button', { name: part }).click();
      await page.locator('#pane pre').waitFor();
    }
    await page.getByRole('button', { name: 'Send to the inbox' }).click();
    await page.getByText('Sent. It is in the inbox.').waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(dialogs).toEqual([]);
  });

  test('words longer than a phone is wide → broken, not wider than the screen', async () => {
    await page.getByRole('link', { name: 'password_changed', exact: true }).click();
    await page.getByRole('button', { name: 'Phone' }).click();
    const sample = JSON.parse(await page.locator('#data').inputValue()) as object;
    await fill({ ...sample, name: 'W'.repeat(80), device: 'M'.repeat(120) });
    await email().getByText('W'.repeat(80)).waitFor();
    const size = await email()
      .locator('body')
      .evaluate((body) => (body as { scrollWidth?: number }).scrollWidth);
    expect(size).toBeGreaterThan(300);
    expect(size).toBeLessThanOrEqual(390);
  });

  test('a locale file is saved → the email changes by itself', async () => {
    await page.getByRole('link', { name: 'welcome', exact: true }).click();
    await email().getByRole('heading', { name: 'Welcome, Ada' }).waitFor();
    const texts = join(folder, 'locales', 'emails', 'en.json');
    writeFileSync(texts, readFileSync(texts, 'utf8').replace('"Welcome, {name}"', '"Hej, {name}"'));
    await email().getByRole('heading', { name: 'Hej, Ada' }).waitFor();
  });

  test('another sample, then sent → that one is accepted, and said until another email is looked at', async () => {
    await page.getByRole('link', { name: 'RSS_REGISTRATION' }).click();
    await page.locator('#sample').selectOption('rejected');
    await email().getByText('could not accept').waitFor();
    await page.getByRole('button', { name: 'Send to the inbox' }).click();
    await page.getByText('Sent. It is in the inbox.').waitFor();
    expect(accepted).toEqual([
      expect.objectContaining({ to: 'reader@example.com', subject: 'Not accepted: Notes on Engines' }),
    ]);
    await page.getByRole('link', { name: 'RSS_REMOVAL' }).click();
    await page.getByText('Sent. It is in the inbox.').waitFor({ state: 'hidden' });
  });

  test('a page of another site → is refused', async () => {
    const base = `http://${HOST}:${server.port}`;
    for (const path of ['/dev/templates/types', '/dev/templates/stream'])
      expect((await fetch(base + path, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    const body = JSON.stringify({ type: 'welcome', lang: 'en', data: { name: 'Ada' } });
    const headers = { origin: 'https://evil.example', 'content-type': 'application/json' };
    expect((await fetch(`${base}/dev/templates/send`, { method: 'POST', body, headers })).status).toBe(403);
    expect(accepted).toEqual([]);
  });

  function rooms(): HttpRooms {
    return {
      async accept(input, { requestId }) {
        accepted.push(input as Record<string, unknown>);
        return { queued: true, emailId: newId(systemClock.now()), requestId, status: 'pending' };
      },
      acceptBatch: async () => [],
      reschedule: async () => ({}),
      get: async () => null,
      timeline: async () => null,
      cancel: async () => ({}),
      ready: async () => ({ ok: true, checks: {} }),
      metrics: async () => ({ contentType: 'text/plain', body: '' }),
    };
  }
});
