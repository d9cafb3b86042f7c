import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { createHttpApp, startHttpServer } from '../../../src/doors/http/index.js';
import { httpRooms } from '../../../src/http-rooms.js';
import type { ConfigOverrides } from '../../../src/index.js';
import { silentLogger, systemClock } from '../../../src/kernel/index.js';
import { type Door, openDoor } from '../../journey/ground/open-door.js';
import { openBrowser, waitFor } from '../../services/index.js';

/**
 * The built dashboard in Chromium before a real Postrider: once behind an operator's key, where people sign in, and
 * once open on loopback, as in development. What a page logs as an error or tries to load from elsewhere is kept.
 */
export interface DashboardGround {
  door: Door;
  /** Where one has to sign in. */
  url: string;
  /** Where nobody has to. */
  openUrl: string;
  browser: Browser;
  /** A browser of its own, on a page of the open dashboard unless told otherwise. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
  /** An account and a context in which it is signed in, without the pages of signing in. */
  signedIn(role: 'admin' | 'operator' | 'viewer', email?: string): Promise<BrowserContext>;
  /** As a person does it, on the page of signing in or where it lies over another. */
  signIn(page: Page | Locator, email: string): Promise<void>;
  codeFor(email: string): Promise<string>;
  close(): Promise<void>;
}

export interface VisitOptions {
  context?: BrowserContext;
  base?: string;
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
}

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** What the page complained about, violations of its policy among it. */
  errors: string[];
  /** Requests that left this server. */
  strangers: string[];
  dialogs: string[];
  close(): Promise<void>;
}

export const PASSWORD = 'correct horse battery';
const HOST = '127.0.0.1';
const EXPECTED = /status of (?:401|4\d\d)|^Blocked script execution in '[^']*\/dashboard\/frame'/;

export async function openDashboard(options: { config?: ConfigOverrides } = {}): Promise<DashboardGround> {
  const door = await openDoor(options);
  const open = await startHttpServer({
    app: createHttpApp({
      rooms: httpRooms(door.postrider),
      logger: silentLogger,
      clock: systemClock,
      apiKey: null,
      access: door.postrider.access,
      bodyLimitBytes: 1024 ** 2,
    }),
    host: HOST,
    port: 0,
  });
  const openUrl = `http://${HOST}:${open.port}`;
  const browser = await openBrowser();
  let accounts = 0;

  const ground: DashboardGround = {
    door,
    url: door.url,
    openUrl,
    browser,
    async visit(
      path,
      { context: given, base = openUrl, width = 1280, height = 800, colorScheme = 'light' } = {},
    ) {
      const context = given ?? (await browser.newContext({ viewport: { width, height }, colorScheme }));
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      if (given) await page.setViewportSize({ width, height });
      const visit: Visit = {
        ...{ page, context, errors: [], strangers: [], dialogs: [] },
        close: () => (given ? page.close() : context.close()),
      };
      page.on('console', (message) => {
        // That the first question is answered with 401 is how one learns that nobody is signed in; that a script in
        // the frame of an email was blocked is as it should be.
        if (message.type() === 'error' && !EXPECTED.test(message.text())) visit.errors.push(message.text());
      });
      page.on('pageerror', (error) => visit.errors.push(String(error)));
      page.on('request', (request) => {
        if (!/^(?:data|blob|about):/.test(request.url()) && !request.url().startsWith(base))
          visit.strangers.push(request.url());
      });
      page.on('dialog', (dialog) => {
        visit.dialogs.push(dialog.message());
        return dialog.dismiss();
      });
      await page.addInitScript(NO_QUESTION);
      await page.goto(`${base}/dashboard${path}`);
      return visit;
    },
    async signedIn(role, email = `${role}-${++accounts}@example.com`) {
      await door.postrider.access.admins.create({ email, name: `The ${role}`, role, password: PASSWORD });
      const context = await browser.newContext();
      const post = async (path: string, data: object) => {
        const answer = await context.request.post(door.url + path, { data });
        if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
      };
      await post('/auth/sign-in', { email, password: PASSWORD });
      await post('/auth/code', { code: await ground.codeFor(email) });
      return context;
    },
    async signIn(page, email) {
      await page.getByLabel('Email').fill(email);
      await page.locator('input[name=password]').fill(PASSWORD);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
      await page.getByLabel('Digit 1').pressSequentially(await ground.codeFor(email));
      await page.getByRole('heading', { name: 'Enter the code' }).waitFor({ state: 'detached' });
    },
    codeFor(email) {
      // Once it was sent its body is removed: whoever looks between the two places looks again.
      const find = async () => {
        const { rows } = await door.pool.query<{ id: string; text: string | null }>(
          `select e.id, b.text from postrider.emails e left join postrider.email_bodies b on b.email_id = e.id
           where e.to_address = $1 and e.type = 'admin_tfa' order by e.id desc limit 1`,
          [email],
        );
        const [sent] = rows[0] ? door.provider.callsFor(rows[0].id) : [];
        return /\b\d{6}\b/.exec(sent?.email.text ?? rows[0]?.text ?? '')?.[0];
      };
      return waitFor(find, { timeoutMs: 20_000, what: `the code of ${email}` });
    },
    async close() {
      await browser.close();
      await open.stop({ deadlineMs: 1000 });
      await door.close();
    },
  };
  return ground;
}

/** What axe finds serious or worse, one sentence each, once no colour is on its way to another. */
export async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(AT_REST);
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'], iframes: false })",
  )) as axe.AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(' ')).join('; ')})`,
    );
}

// What goes on for ever, as a skeleton does, is not waited for; what is cancelled on the way is over too.
const AT_REST = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const running = () => document.getAnimations().filter((one) =>
    one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity);
  await frame();
  await frame();
  while (running().length > 0) await Promise.all(running().map((one) => one.finished.catch(() => undefined)));
})()`;

/** How much of what was seen has moved since the page was opened, other than by input. */
export function shifted(page: Page): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(sum))));
  })`);
}

/** How far the page can be pushed sideways, in pixels. */
export function overhang(page: Page): Promise<number> {
  return page.evaluate('Math.max(0, document.scrollingElement.scrollWidth - innerWidth)');
}

/**
 * Keeps the browser from asking before a page with unsaved words is left: its question can be gone before it is
 * answered, and then the page hangs. A test sees by an event of its own whether the page would have it ask.
 */
const NO_QUESTION = `{
  const { preventDefault } = Event.prototype;
  Event.prototype.preventDefault = function () {
    if (this.type !== 'beforeunload' || !this.isTrusted) preventDefault.call(this);
  };
}`;
