import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../services/index.js';
import { fillDashboard, SECRET } from './ground/fill-dashboard.js';
import { type DashboardGround, openDashboard } from './ground/open-dashboard.js';
import { ALL_PAGES } from './ground/pages.js';

/** Every page opened once; test/long looks at each in every shape, on a slow network and without an API. */
describeWith('postgres', 'chromium')('every page of the dashboard', () => {
  let ground: DashboardGround;
  let filled: (path: string) => string;
  beforeAll(async () => {
    ground = await openDashboard({ config: { access: { secretKeys: SECRET } } });
    const { webhookId, broadcastId } = await fillDashboard(ground.door);
    filled = (path) => path.replace(':id', webhookId).replace(':broadcast', broadcastId);
  });
  afterAll(() => ground?.close());

  test('each → filled, hostile names shown and never run, nothing asked of others', async () => {
    const { page, errors, strangers, dialogs, close } = await ground.visit('/');
    for (const [path, text] of Object.entries(ALL_PAGES)) {
      // As its links do, without loading the dashboard anew.
      await page.evaluate(`history.pushState(null, '', '/dashboard${filled(path)}')`);
      await page.getByText(text).first().waitFor();
    }
    expect(page.url()).toContain(Object.keys(ALL_PAGES).at(-1));
    expect([errors, strangers, dialogs]).toEqual([[], [], []]);
    await close();
  });
});
