import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillDashboard, SECRET } from '../dashboard/ground/fill-dashboard.js';
import {
  type DashboardGround,
  openDashboard,
  overhang,
  seriousProblems,
  shifted,
} from '../dashboard/ground/open-dashboard.js';
import { ALL_PAGES, PAGES } from '../dashboard/ground/pages.js';
import { describeWith } from '../services/index.js';

/** What holds for every page: readable in light and dark, wide and narrow; at rest; honest when the network is not. */
describeWith('postgres', 'chromium')('every page of the dashboard', () => {
  let ground: DashboardGround;
  let webhookId: string;
  let broadcastId: string;
  beforeAll(async () => {
    ground = await openDashboard({ config: { access: { secretKeys: SECRET } } });
    ({ webhookId, broadcastId } = await fillDashboard(ground.door));
  });
  afterAll(() => ground?.close());

  const filled = (path: string) => path.replace(':id', webhookId).replace(':broadcast', broadcastId);
  const open = (page: Page, path: string) => page.goto(`${ground.openUrl}/dashboard${filled(path)}`);

  test(
    'every page, light and wide, dark and narrow → filled, readable, at rest, hostile names shown and never run',
    ALL,
    async () => {
      const { page, errors, strangers, dialogs, close } = await ground.visit('/');
      const problems: string[] = [];
      for (const [path, text] of Object.entries(PAGES)) {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.emulateMedia({ colorScheme: 'light' });
        await open(page, path);
        await page.getByText(text).first().waitFor();
        const moved = await shifted(page);
        if (moved > 0.1) problems.push(`${path}: ${moved} of it jumped while it came`);
        for (const look of ['wide', 'narrow']) {
          if (look === 'narrow') {
            await page.setViewportSize({ width: 360, height: 740 });
            await page.emulateMedia({ colorScheme: 'dark' });
            await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
          }
          for (const problem of await seriousProblems(page)) problems.push(`${path}, ${look}: ${problem}`);
          if ((await overhang(page)) > 0) problems.push(`${path}, ${look}: can be pushed sideways`);
        }
      }
      expect(problems).toEqual([]);
      expect([errors, strangers, dialogs]).toEqual([[], [], []]);
      await close();
    },
  );

  /** To another page without loading the dashboard anew, as its links do. */
  const go = (page: Page, path: string) =>
    page.evaluate(`history.pushState(null, '', '/dashboard${filled(path)}')`);
  const API = /\/(?:admin|v1)\//;

  test(
    'a slow network and a phone → every page says that it loads, then is filled and has not jumped',
    ALL,
    async () => {
      const { page, context, errors, close } = await ground.visit('/nowhere', { width: 360, height: 740 });
      await page.getByText('There is no such page').waitFor();
      const client = await context.newCDPSession(page);
      await client.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 40, downloadThroughput: 200_000, uploadThroughput: 50_000 },
      });
      const problems: string[] = [];
      let waited = 0;
      for (const [path, text] of Object.entries(ALL_PAGES)) {
        let answer = () => {};
        const answered = new Promise<void>((resolve) => {
          answer = resolve;
        });
        await page.route(API, (route) => answered.then(() => route.continue()));
        const before = await shifted(page);
        await go(page, path);
        // What is known from another page is shown at once.
        const loading = page.locator('main').locator(LOADING).first();
        await loading.or(page.getByText(text)).first().waitFor({ state: 'attached' });
        waited += await loading.count();
        answer();
        await page.getByText(text).first().waitFor();
        const moved = (await shifted(page)) - before;
        if (moved > 0.1) problems.push(`${path}: ${moved} of it jumped`);
        await page.unroute(API);
      }
      expect([problems, errors]).toEqual([[], []]);
      expect(waited).toBeGreaterThan(Object.keys(ALL_PAGES).length / 2);
      await close();
    },
  );

  test('the API is away → every page says so and what to do, and goes on once it is back', ALL, async () => {
    const { page, close } = await ground.visit('/tenants');
    await page.getByRole('cell').first().waitFor();
    await page.clock.install();
    await page.route(API, (route) => route.abort());
    for (const path of Object.keys(ALL_PAGES).filter((one) => one !== '/tenants')) {
      await go(page, path);
      const said = page.getByRole('main').getByRole('alert').first();
      await expect.poll(() => page.clock.runFor(2_000).then(() => said.isVisible()), PATIENT).toBe(true);
      expect(await said.textContent(), path).toMatch(
        /Postrider does not answer.*Look whether the process runs/,
      );
    }
    await page.unroute(API);
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('access.secretKeys').waitFor();
    await close();
  });
});

const LOADING = '[aria-busy="true"], [role="status"][aria-label="Loading"], .mantine-Skeleton-root';
const PATIENT = { timeout: 60_000 };
/** Some twenty pages one after the other, on whatever machine. */
const ALL = { timeout: 600_000 };
