import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../services/index.js';
import { type DashboardGround, openDashboard, seriousProblems } from './ground/open-dashboard.js';

/** The overview, and what the first look at the dashboard costs. */
describeWith('postgres', 'chromium')('the overview of the dashboard', () => {
  let ground: DashboardGround;
  beforeAll(async () => {
    ground = await openDashboard({ config: { limits: { enabled: false } } });
    await ground.door.postrider.start();
  });
  afterAll(() => ground?.close());

  const send = (count: number) =>
    ground.door.postrider.sendBatch(
      Array.from({ length: count }, (_, i) => ({ to: `a${i}@example.net`, subject: 'x', text: 'x' })),
    );

  test.each(['light', 'dark'] as const)(
    '%s → live figures, routes, workers; nothing serious for axe',
    async (colorScheme) => {
      const { page, errors, strangers, close } = await ground.visit('/', { colorScheme });
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.getByRole('cell', { name: 'alive' }).waitFor();
      await send(40);
      await expect
        .poll(() => page.getByRole('img', { name: /Per second, over the last ten: [1-9]/ }).count())
        .toBe(1);
      await expect
        .poll(() => page.getByRole('img', { name: /[1-9]\d* were sent and 0 failed/ }).count())
        .toBe(1);
      for (const name of [
        'Sent per second',
        'Waiting',
        'Failing per second',
        'Failure rate',
        'Workers alive',
      ])
        await page.getByRole('term').filter({ hasText: name }).first().waitFor();
      await page.getByText(/^p50 .* · p99 /).waitFor();
      await page.getByRole('heading', { name: 'Queue by priority' }).waitFor();
      await page.getByRole('heading', { name: 'Types that fail most' }).waitFor();
      await page.getByRole('region', { name: 'Routes' }).getByText('goes', { exact: true }).waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      expect(errors).toEqual([]);
      expect(strangers).toEqual([]);
      await close();
    },
  );

  test('another range → in the address, and asked for', async () => {
    const { page, close } = await ground.visit('/');
    await page.getByRole('radio', { name: '7 days' }).locator('..').getByText('7 days').click();
    await expect.poll(() => page.url()).toContain('hours=168');
    await close();
  });

  test('a pause → said at the top, and lifted from there', async () => {
    await ground.door.postrider.pause('type', 'weekly_focus', 'a wrong price');
    const { page, close } = await ground.visit('/');
    await page.getByText('The type weekly_focus is held back').waitFor();
    await page.getByText('a wrong price').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The type weekly_focus is held back').waitFor({ state: 'detached' });
    expect(await ground.door.postrider.listPauses()).toEqual([]);
    await close();
  });

  test('an alert → said at the top with what to do, and kept below when it is over', async () => {
    const { rows } = await ground.door.pool.query(
      `insert into postrider.alert_episodes (alert, severity, subject, sentence, opened_at)
       values ('no-worker', 'page', 'a test', 'No worker is alive; the last one was seen 7 minutes ago.', now()),
         ('paused', 'ticket', 'a test', 'The tenant acme has been paused for 2 hours.', now()) returning id`,
    );
    const { page, close } = await ground.visit('/');
    const open = page.getByRole('alert').filter({ hasText: 'No worker is alive' });
    await open.getByText('Start a worker').waitFor();
    const title = open.getByText('No worker is alive; the last one was seen 7 minutes ago.');
    const color = await title.evaluate(
      // biome-ignore lint/suspicious/noExplicitAny: the tests know no DOM
      (shown: any) => shown.ownerDocument.defaultView.getComputedStyle(shown).color,
    );
    expect(color).toMatch(RED);
    await page.getByRole('alert').filter({ hasText: 'acme has been paused' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await ground.door.pool.query('update postrider.alert_episodes set ended_at = now() where id = any ($1)', [
      rows.map(({ id }) => id),
    ]);
    await page.reload();
    const history = page.getByRole('region', { name: 'Alerts' });
    await history.getByText('No worker is alive').waitFor();
    expect(await history.getByText('over', { exact: true }).count()).toBe(2);
    await ground.door.pool.query('delete from postrider.alert_episodes');
    await close();
  });

  test('seven open alerts → the urgent one first, five above the figures, all below; none → all is well', async () => {
    await ground.door.pool.query(
      `insert into postrider.alert_episodes (alert, severity, subject, sentence, opened_at)
       select 'quota', 'ticket', 'day of ' || n, 'Tenant ' || n || ' has used its quota.', now() from generate_series(1, 6) n
       union all select 'no-worker', 'page', '', 'No worker is alive.', now() - interval '1 hour'`,
    );
    const { page, close } = await ground.visit('/');
    await page.getByText('2 more are open').waitFor();
    expect(await page.getByRole('alert').first().textContent()).toContain('No worker is alive.');
    expect(await page.getByRole('alert').count()).toBe(5);
    const history = page.getByRole('region', { name: 'Alerts' });
    expect(await history.getByText('has used its quota').count()).toBe(6);
    await ground.door.pool.query('delete from postrider.alert_episodes');
    await page.reload();
    await page.getByText('all is well', { exact: true }).waitFor();
    await close();
  });

  test('the first load → under 250 KB over the wire, and nothing jumps', async () => {
    const context = await ground.browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addInitScript(SHIFTS);
    const page = await context.newPage();
    const client = await context.newCDPSession(page);
    await client.send('Network.enable');
    const ofDashboard = new Set<string>();
    let bytes = 0;
    client.on('Network.responseReceived', ({ requestId, response }) => {
      if (new URL(response.url).pathname.startsWith('/dashboard/')) ofDashboard.add(requestId);
    });
    client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (ofDashboard.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(`${ground.openUrl}/dashboard/`);
    await page.getByRole('cell', { name: 'alive' }).waitFor();
    await page.getByRole('img').first().waitFor();
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(250_000);
    expect(await page.evaluate('window.shifted')).toBeLessThanOrEqual(0.1);
    await context.close();
  });

  test('the process goes away and comes back → said, and the page goes on by itself', async () => {
    const { page, context, close } = await ground.visit('/');
    await page.getByRole('cell', { name: 'alive' }).waitFor();
    await context.setOffline(true);
    await page.getByRole('alert').getByText('Postrider does not answer.').waitFor();
    await context.setOffline(false);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await close();
  });
});

/** More red than anything else. */
const RED = /^rgb\((?:1[3-9]\d|2\d\d), \d{1,2}, \d{1,2}\)$/;

const SHIFTS = `
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });`;
