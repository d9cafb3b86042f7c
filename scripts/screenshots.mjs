/**
 * `npm run screenshots [folder]`: fills a Postrider of its own with invented emails and photographs every page of the
 * dashboard into docs/images/dashboard: light, and the first ones dark and on a phone. Needs a build and Chromium;
 * CHROMIUM_PATH names another browser than /usr/bin/chromium.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { seed } from './screenshots/seed.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = process.argv[2] ?? join(root, 'docs', 'images', 'dashboard');
const PAGES = {
  overview: '/',
  emails: '/emails',
  'dead-letters': '/dead-letters',
  content: '/content?portal=app',
  'content-edit': '/content/welcome/en?companyId=fjord&edit=1',
  schedules: '/schedules',
  schedule: '/schedules/weekly_focus',
  broadcasts: '/broadcasts',
  limits: '/limits',
  webhooks: '/webhooks?companyId=fjord',
  recipients: '/recipients?companyId=fjord',
  recipient: '/recipients/alan%40example.net?companyId=fjord',
  suppressions: '/suppressions?companyId=fjord',
  tenants: '/tenants',
  keys: '/keys',
  admins: '/admins',
  audit: '/audit',
  settings: '/settings',
  inbox: '/inbox',
};
/** Also dark and on a phone. */
const EVERYWHERE = ['overview', 'email-failed'];
const SCREENS = {
  '': { width: 1280, height: 860, colorScheme: 'light' },
  '.dark': { width: 1280, height: 860, colorScheme: 'dark' },
  '.phone': { width: 390, height: 844, colorScheme: 'light' },
};

const data = mkdtempSync(join(tmpdir(), 'postrider-screenshots-'));
mkdirSync(folder, { recursive: true });
const { url, pages = {}, close } = await seed(data);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
});
try {
  for (const [suffix, { colorScheme, ...viewport }] of Object.entries(SCREENS)) {
    const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', timezoneId: 'UTC' });
    for (const [name, path] of Object.entries({ ...PAGES, ...pages })) {
      if (suffix !== '' && !EVERYWHERE.includes(name)) continue;
      const page = await context.newPage();
      await page.goto(path.startsWith('http') ? path : `${url}/dashboard${path}`);
      await page.locator('main').locator('h1, h2').filter({ visible: true }).first().waitFor();
      await page.waitForFunction(() => !document.querySelector('[aria-busy=true]'));
      await page.waitForTimeout(name === 'overview' ? 4000 : 600);
      await page.screenshot({
        path: join(folder, `${name}${suffix}.png`),
        fullPage: suffix === '' && !/inbox|emails|dead/.test(name),
      });
      await page.close();
    }
    await context.close();
  }
} finally {
  await browser.close();
  await close();
  rmSync(data, { recursive: true, force: true });
}
