import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import {
  createHttpApp,
  type HttpRooms,
  type HttpServer,
  startHttpServer,
} from '../../src/doors/http/index.js';
import { createInbox, type Inbox } from '../../src/doors/inbox/index.js';
import { newId, silentLogger, systemClock } from '../../src/kernel/index.js';
import { describeWith } from '../services/index.js';
import { seriousProblems, shifted } from './ground/open-dashboard.js';

const HOST = '127.0.0.1';
const BROWSER = inject('chromiumUrl');
/** How far the page can be pushed sideways, in pixels. */
const OVERHANG = 'Math.max(0, document.scrollingElement.scrollWidth - innerWidth)';
const MESSAGE = { from: 'sender@example.com', to: 'ada@example.com', subject: 'Hello', text: 'Hello' };

describeWith('chromium')('the development inbox in Chromium', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let directory: string;
  let inbox: Inbox;
  let server: HttpServer;
  let stopSink: () => Promise<void>;
  let mail: Transporter;
  let events: object[];
  /** What a message got to run, and what it got to ask of evil.example, which the browser resolves to here. */
  let dialogs: string[];
  let visits: string[];
  const evil = createServer((request, response) => {
    visits.push(`${request.method} ${request.url}`);
    response.end();
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => evil.listen(0, HOST, resolve));
    const there = `${HOST}:${(evil.address() as AddressInfo).port}`;
    const args = [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=MAP evil.example ${there}`,
    ];
    browser = await chromium.launch({ executablePath: BROWSER!, args });
  });
  afterAll(async () => {
    await browser?.close();
    evil.close();
  });

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'inbox-page-'));
    inbox = await createInbox({ directory, clock: systemClock, logger: silentLogger });
    const sink = await inbox.startSink({ host: HOST, port: 0 });
    stopSink = () => sink.stop({ deadlineMs: 500 });
    mail = createTransport({ host: HOST, port: sink.port, secure: false });
    events = [];
    const options = { logger: silentLogger, clock: systemClock, bodyLimitBytes: 1_000_000 };
    const app = createHttpApp({ ...options, rooms: rooms(), inbox });
    server = await startHttpServer({ app, host: HOST, port: 0 });
    context = await browser.newContext();
    page = await context.newPage();
    page.setDefaultTimeout(120_000);
    dialogs = [];
    visits = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      return dialog.accept();
    });
    await page.goto(`http://${HOST}:${server.port}/`);
    await page.getByText('Live', { exact: true }).waitFor();
  });
  afterEach(async () => {
    await context.close();
    await server.stop({ deadlineMs: 1000 });
    await stopSink();
    rmSync(directory, { recursive: true, force: true });
  });

  test('an empty inbox, one click on the sample → it appears by itself, its timeline a tab away', async () => {
    events = [{ type: 'SENT', metadata: { attempt: 1 }, createdAt: '2026-01-01T00:00:00.000Z' }];
    await page.getByRole('heading', { name: 'No mail yet' }).waitFor();
    await expect
      .poll(() => page.locator('pre').textContent())
      .toContain(`http://${HOST}:${server.port}/v1/email/send`);
    await page.getByRole('button', { name: 'Send a sample' }).click();
    await page.getByRole('link', { name: 'A first letter from Postrider' }).click();
    await page.frameLocator('iframe').getByText('It arrived.').waitFor();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('cell', { name: 'SENT', exact: true }).waitFor();
    await page.getByRole('cell', { name: 'attempt 1' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
  });

  test('a hostile message → every part of it is shown as text or inert, nothing runs, nothing is asked', async () => {
    const subject = `<script>alert('subject')</script><img src=x onerror="alert('subject')">`;
    await mail.sendMail({
      ...MESSAGE,
      from: { name: `<img src=x onerror=alert('from')>`, address: 'evil@example.com' },
      subject,
      headers: { 'X-Evil': `"><svg onload=alert('header')>` },
      text: `<img src=x onerror=alert('text')>`,
      html: HOSTILE,
      attachments: [
        { filename: `"><img src=x onerror=alert('file')>.html`, content: '<script>alert(1)</script>' },
      ],
    });
    await first().click();
    await expect.poll(() => page.locator('#message-subject').textContent()).toBe(subject);
    const frame = page.frameLocator('iframe');
    await frame.getByText('Hostile').waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toMatch(
      /scripts|same-origin|top-navigation|forms/,
    );
    await frame.getByRole('button', { name: 'Post' }).click();
    await frame.getByRole('link', { name: 'script link' }).click();
    for (const tab of ['Text', 'Headers', 'Source']) {
      await page.getByRole('tab', { name: tab }).click();
      await page
        .locator('article pre')
        .getByText(/onerror=alert|svg onload/)
        .waitFor();
    }
    expect(await page.locator('main img, main svg[onload], main script').count()).toBe(0);
    // What the script link opened, if anything, is an empty tab without a script's traces.
    for (const other of context.pages()) expect(await other.evaluate('window.owned')).toBeUndefined();
    expect(dialogs).toEqual([]);
    expect(inbox.list()).toHaveLength(1);
    expect(visits).toEqual([]);
    // The same browser does reach it, so silence above means something.
    await page.goto('http://evil.example/visited');
    expect(visits).toContain('GET /visited');
  });

  test('the HTML of a message opened on its own → still in an origin of its own, without script', async () => {
    await mail.sendMail({ ...MESSAGE, html: HOSTILE });
    const alone = await context.newPage();
    alone.on('dialog', (dialog) => dialogs.push(dialog.message()));
    await alone.goto(`http://${HOST}:${server.port}/dev/inbox/messages/${inbox.list()[0]?.id}/html`);
    await alone.getByText('Hostile').waitFor();
    expect(await alone.evaluate('window.origin')).toBe('null');
    expect(dialogs).toEqual([]);
  });

  test('mail comes in → on top without a jump; while one is read, or further down → a button says how many', async () => {
    const list = page.getByRole('navigation', { name: 'Messages' });
    for (let n = 1; n <= 30; n++) await mail.sendMail({ ...MESSAGE, subject: `Letter ${n}` });
    await expect.poll(() => list.getByRole('link').count()).toBe(30);
    await expect.poll(() => first().textContent()).toContain('Letter 30');
    expect(await shifted(page)).toBeLessThanOrEqual(0.1);

    await list.hover();
    await page.mouse.wheel(0, 400);
    await expect.poll(() => list.evaluate((nav: { scrollTop: number }) => nav.scrollTop)).toBeGreaterThan(0);
    await mail.sendMail({ ...MESSAGE, subject: 'Letter 31' });
    await list.getByRole('button', { name: '1 new' }).click();
    await expect.poll(() => first().textContent()).toContain('Letter 31');

    await list.getByRole('link', { name: 'Letter 28' }).click();
    await page.getByRole('heading', { name: 'Letter 28' }).waitFor();
    const before = await shifted(page);
    for (const n of [32, 33, 34]) await mail.sendMail({ ...MESSAGE, subject: `Letter ${n}` });
    const waiting = list.getByRole('button', { name: '3 new' });
    await waiting.waitFor();
    expect(await first().textContent()).toContain('Letter 31');
    expect(await shifted(page)).toBe(before);
    expect(await seriousProblems(page)).toEqual([]);
    await waiting.click();
    await expect.poll(() => first().textContent()).toContain('Letter 34');
    await page.getByRole('heading', { name: 'Letter 28' }).waitFor();
  });

  test('keyboard alone → a message is opened and its tabs are reached', async () => {
    await mail.sendMail({ ...MESSAGE, subject: 'first', html: '<p>first</p>' });
    await mail.sendMail({ ...MESSAGE, subject: 'second' });
    await page.getByRole('link', { name: 'second' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'first' }).waitFor();
    await page.getByRole('tab', { name: 'HTML' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('article pre', { hasText: 'Hello' }).waitFor();
  });

  test('a phone → no view is wider than the screen, every button is on it', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(OVERHANG)).toBe(0);
    await mail.sendMail({ ...MESSAGE, subject: 'W'.repeat(120), html: '<p>Hello</p>' });
    await first().waitFor();
    expect(await page.evaluate(OVERHANG)).toBe(0);
    for (const name of ['Send a sample', 'Clear']) {
      const box = await page.getByRole('button', { name }).boundingBox();
      expect(box!.x + box!.width).toBeLessThanOrEqual(360);
    }
    await first().click();
    for (const tab of ['HTML', 'Headers', 'Timeline']) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('tabpanel').locator('> *').first().waitFor();
      expect(await page.evaluate(OVERHANG)).toBe(0);
    }
  });

  test('a filter that fits nothing → said right under it', async () => {
    await mail.sendMail(MESSAGE);
    await first().waitFor();
    await page.getByLabel('Filter messages').fill('zebra');
    const said = page.getByText('No message matches.');
    await said.waitFor();
    const [filter, none] = await Promise.all([
      page.getByLabel('Filter messages').boundingBox(),
      said.boundingBox(),
    ]);
    expect(none!.y - (filter!.y + filter!.height)).toBeLessThan(40);
  });

  test('a possible duplicate by its timeline → marked in its head, the next message is not', async () => {
    const at = '2026-01-01T00:00:00.000Z';
    events = [{ type: 'SENT', metadata: { attempt: 2, possibleDuplicate: true }, createdAt: at }];
    await page.getByRole('button', { name: 'Send a sample' }).click();
    await page.getByRole('link', { name: 'A first letter from Postrider' }).click();
    const badge = page.getByText('Possible duplicate', { exact: true });
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await badge.waitFor();
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.locator('article pre').waitFor();
    expect(await badge.isVisible()).toBe(true);
    events = [{ type: 'SENT', metadata: { attempt: 1 }, createdAt: at }];
    await mail.sendMail({ ...MESSAGE, subject: 'single', messageId: `<${newId()}@example.com>` });
    await page.getByRole('button', { name: '1 new' }).click();
    await page.getByRole('link', { name: 'single' }).click();
    await page.getByRole('heading', { name: 'single' }).waitFor();
    expect(await badge.isVisible()).toBe(false);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('cell', { name: 'attempt 1' }).waitFor();
    expect(await badge.isVisible()).toBe(false);
  });

  test('cleared by someone else while a message is open → the page is empty again', async () => {
    await mail.sendMail(MESSAGE);
    await page.getByRole('link', { name: 'Hello' }).click();
    await page.getByRole('heading', { name: 'Hello' }).waitFor();
    await fetch(`http://${HOST}:${server.port}/dev/inbox/messages`, { method: 'DELETE' });
    await page.getByRole('heading', { name: 'No mail yet' }).waitFor();
  });

  const first = () => page.getByRole('navigation', { name: 'Messages' }).getByRole('link').first();

  function rooms(): HttpRooms {
    return {
      accept: async (input, { requestId }) => {
        const emailId = newId();
        await mail.sendMail({ ...MESSAGE, ...(input as object), messageId: `<${emailId}@example.com>` });
        return { queued: true, emailId, requestId, status: 'pending' };
      },
      acceptBatch: async () => [],
      reschedule: async () => ({}),
      get: async () => null,
      timeline: async () => events,
      cancel: async (id) => ({ id }),
      ready: async () => ({ ok: true, checks: {} }),
      metrics: async () => ({ contentType: 'text/plain', body: '' }),
    };
  }
});

const HOSTILE = `<html><head><meta http-equiv="refresh" content="0;url=http://evil.example/refresh">
<base href="http://evil.example/"><link rel="stylesheet" href="http://evil.example/style.css"></head>
<body background="http://evil.example/background.png" onload="alert('onload')"><h1>Hostile</h1>
<script>window.owned = true; alert('script'); fetch('/dev/inbox/messages', { method: 'DELETE' });</script>
<script src="/dev/inbox/messages"></script>
<img src="x" onerror="alert('onerror')"><img src="http://evil.example/pixel.png"><svg onload="alert('svg')"></svg>
<style>@import 'http://evil.example/import.css'; h1 { background: url(http://evil.example/css.png) }</style>
<iframe src="/"></iframe><object data="/"></object><embed src="/"><video src="http://evil.example/v.mp4"></video>
<a href="javascript:window.owned = true; alert('link')">script link</a>
<form action="http://evil.example/form" method="post"><button>Post</button></form>
</body></html>`;
