import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../services/index.js';
import { fillDashboard, HOSTILE, SECRET } from './ground/fill-dashboard.js';
import { type DashboardGround, openDashboard, seriousProblems } from './ground/open-dashboard.js';

/** What runs, who is written to, who may do what: the pages about them as they are used. */
describeWith('postgres', 'chromium')('pages of the system', () => {
  let ground: DashboardGround;
  let webhookId: string;
  let broadcastId: string;
  beforeAll(async () => {
    ground = await openDashboard({ config: { access: { secretKeys: SECRET } } });
    ({ webhookId, broadcastId } = await fillDashboard(ground.door));
  });
  afterAll(() => ground?.close());

  const open = (page: Page, path: string) => page.goto(`${ground.openUrl}/dashboard${path}`);
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

  test('a schedule → paused, resumed and run by its buttons', async () => {
    const { page, close } = await ground.visit('/schedules');
    const { schedules } = ground.door.postrider;
    const row = page.getByRole('row', { name: /^inactivity/ });
    const paused = async () => (await schedules.list()).find(({ name }) => name === 'inactivity')?.paused;
    await row.getByRole('button', { name: 'Pause' }).click();
    await confirm(page, 'Pause');
    await row.getByText('paused').waitFor();
    expect(await paused()).toBe(true);
    expect(await row.getByRole('button', { name: 'Run now' }).isDisabled()).toBe(true);
    await row.getByRole('button', { name: 'Resume' }).click();
    await confirm(page, 'Resume');
    await row.getByRole('button', { name: 'Run now' }).click();
    await confirm(page, 'Run now');
    await row.getByText('running').waitFor();
    expect((await schedules.runs('inactivity')).some(({ manual }) => manual)).toBe(true);
    await close();
  });

  test('a broadcast → how far it has come, what it says without running it, taken back', async () => {
    const { page, dialogs, close } = await ground.visit('/broadcasts?companyId=acme');
    const winter = page.getByRole('row', { name: /Winter/ });
    await winter.getByText('45 queued · 5 skipped · 50 of 200 looked at').waitFor();
    expect(await winter.getByRole('button', { name: 'Take back' }).count()).toBe(0);
    await page.getByRole('link', { name: HOSTILE }).click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Spring' }).waitFor();
    await page.getByText('Customers').waitFor();
    await page.getByRole('button', { name: 'Take back' }).click();
    await confirm(page, 'Take back');
    await page.getByText('draft', { exact: true }).waitFor();
    expect(await ground.door.postrider.resend.broadcasts.find('acme', broadcastId)).toMatchObject({
      ...{ status: 'draft', scheduledAt: null },
    });
    expect(dialogs).toEqual([]);
    await close();
  });

  test('a webhook → added with its secret said once, its delivery looked at and replayed, turned off', async () => {
    const { page, close } = await ground.visit('/webhooks');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByRole('textbox', { name: 'URL' }).fill('http://insecure.example.net/');
    await page.getByRole('dialog').getByRole('button', { name: 'Add a webhook' }).click();
    await page.getByRole('alert').getByText('must start with https://').waitFor();
    await page.getByRole('textbox', { name: 'URL' }).fill('https://hooks.example.net/second');
    await page.getByLabel('email.bounced').check();
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog')
      .getByText(/^whsec_/)
      .waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('1 of 16 events').waitFor();

    await open(page, `/webhooks/${webhookId}`);
    await page.getByRole('button', { name: 'Look' }).first().click();
    await page.getByRole('dialog').getByText('"email.scheduled"').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await ground.door.pool.query(`update postrider.webhook_deliveries set status = 'failed', attempt = 7`);
    await page.reload();
    await page.getByText('failed', { exact: true }).and(page.locator('.status')).first().waitFor();
    await page.getByRole('button', { name: 'Replay', exact: true }).first().click();
    await confirm(page, 'Replay');
    await page.getByText('pending', { exact: true }).and(page.locator('.status')).first().waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await confirm(page, 'Disable');
    await page.getByText('by hand').waitFor();
    await close();
  });

  test('a tenant and a key → made by keyboard, the token works once it is said and not once it is revoked', async () => {
    const { page, close } = await ground.visit('/tenants');
    await page.getByRole('button', { name: 'Add a tenant' }).press('Enter');
    await page.getByLabel('Company id').waitFor();
    await page.keyboard.type('initech');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Initech');
    await page.keyboard.press('Tab');
    await page.keyboard.type('post@initech.example');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: /initech/ }).waitFor();
    const { tenants } = await ground.door.postrider.access.tenants.list();
    expect(tenants.find(({ companyId }) => companyId === 'initech')).toMatchObject({
      ...{ name: 'Initech', contact: 'post@initech.example' },
    });
    await open(page, '/keys?companyId=initech');
    await page.getByText('initech has no key.').waitFor();
    await page.getByRole('button', { name: 'Make a key' }).press('Enter');
    await page.getByLabel('Name').fill('shop');
    await page.getByLabel('May').selectOption('full');
    await page.getByLabel('Name').press('Enter');
    const token = await page.getByRole('dialog').getByText(/^re_/).textContent();
    const asked = () => ground.door.call('GET', '/v1/emails', { as: token });
    expect((await asked()).status).toBe(200);
    await page.getByRole('button', { name: 'Done' }).press('Enter');
    await page.getByRole('button', { name: 'Revoke' }).press('Enter');
    await confirm(page, 'Revoke');
    await page.getByText('revoked').waitFor();
    expect((await asked()).status).toBe(401);
    await close();
  });

  test('a limit, a quota, a suppression → set, asked about, lifted', async () => {
    const { page, close } = await ground.visit('/limits');
    const { rateLimits, quotas, suppressions } = ground.door.postrider;
    await page
      .getByRole('row', { name: /^verification/ })
      .getByRole('button', { name: 'Change' })
      .click();
    await page.getByLabel('At most').fill('7');
    await page.getByRole('button', { name: 'Set it' }).click();
    await page.getByText('7 per hour').waitFor();
    expect((await rateLimits.list()).find(({ type }) => type === 'verification')).toMatchObject({
      ...{ limit: 7, windowSeconds: 3600, source: 'set' },
    });
    await page.getByRole('button', { name: 'Ask about a recipient' }).click();
    await page.getByLabel('Address').fill('grace@example.net');
    await page.getByLabel('Type of email').fill('verification');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByText('7 of 7').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: /^acme day/ })
      .getByRole('button', { name: 'Change' })
      .click();
    await page.getByLabel('Emails').fill('900');
    await page.getByRole('button', { name: 'Set it' }).click();
    await page.getByText('of 900').waitFor();
    expect((await quotas.list({ companyId: 'acme' })).quotas).toMatchObject([{ limit: 900 }]);

    await open(page, '/recipients?companyId=acme');
    await page.getByRole('textbox', { name: 'Find a person' }).fill('user-2');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing stands against').waitFor();
    await page.getByRole('button', { name: 'Suppress' }).click();
    await page.getByLabel('Note').fill('asked by phone');
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByText('asked by phone').waitFor();
    const found = () => suppressions.find('grace@example.net', { companyId: 'acme' });
    expect(await found()).toMatchObject([{ reason: 'manual', note: 'asked by phone' }]);
    await page.getByRole('button', { name: 'Lift' }).click();
    await confirm(page, 'Lift');
    await page.getByText('Nothing stands against').waitFor();
    expect(await found()).toEqual([]);
    await close();
  });

  test('a list from a file → looked through, the refused named, the others taken in; exported → the same', async () => {
    const { page, close } = await ground.visit('/suppressions?companyId=globex');
    await page.getByRole('button', { name: 'Import' }).click();
    const rows = ['email,reason', 'one@example.net,bounce', 'no address,manual', 'two@example.net,spite'];
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) };
    await page.getByLabel('CSV or NDJSON').setInputFiles(file);
    await page.getByText('3 rows: 1 can be taken in, 2 are refused').waitFor();
    await page.getByRole('cell', { name: 'email is not an email address' }).waitFor();
    const { suppressions } = ground.door.postrider;
    const listed = async () => (await suppressions.list({ companyId: 'globex' })).suppressions;
    expect(await listed()).toEqual([]);
    await page.getByRole('button', { name: 'Import 1' }).click();
    await page.getByText('1 added, 0 were there already.').waitFor();
    expect(await listed()).toMatchObject([{ email: 'one@example.net', reason: 'bounce' }]);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'one@example.net' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('suppressions.csv');
    await close();
  });

  test('an account made by an admin → a viewer who sees, changes nothing, and finds no page of admins', async () => {
    const context = await ground.signedIn('admin', 'the-admin@example.com');
    const admin = await ground.visit('/admins', { context, base: ground.url });
    await admin.page.getByText('(you)').waitFor();
    await admin.page.getByRole('button', { name: 'Add an account' }).click();
    await admin.page.getByLabel('Email').fill('eve@example.com');
    await admin.page.locator('input[name=password]').fill('short');
    await admin.page.keyboard.press('Enter');
    await admin.page
      .getByRole('alert')
      .getByText(/password/)
      .waitFor();
    // The session ends in the middle of it: signed in again, the form is as it was.
    await ground.door.pool.query('delete from postrider.admin_sessions');
    await admin.page.locator('input[name=password]').fill('correct horse battery');
    await admin.page.keyboard.press('Enter');
    await admin.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await ground.signIn(admin.page.locator('.signed-out'), 'the-admin@example.com');
    await admin.page.getByRole('dialog').getByText('You were signed out before').waitFor();
    expect(await admin.page.getByRole('dialog').getByLabel('Email').inputValue()).toBe('eve@example.com');
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Add an account' }).click();
    await admin.page.getByRole('cell', { name: /eve@example.com/ }).waitFor();
    await context.close();

    const viewing = await ground.signedIn('viewer');
    const { page } = await ground.visit('/tenants', { context: viewing, base: ground.url });
    for (const path of [
      '/tenants',
      '/keys',
      '/limits',
      '/webhooks',
      `/webhooks/${webhookId}`,
      '/schedules',
    ]) {
      await page.goto(`${ground.url}/dashboard${path}`);
      await page.getByRole('table').first().waitFor();
      await page.getByRole('cell').nth(1).waitFor();
      const acts = page.getByRole('main').getByRole('button', {
        name: /Add|Make|Edit|Disable|Revoke|Change|Set|Reset|Remove|Replay|Pause|Run|New secret/,
      });
      expect(await acts.allTextContents(), path).toEqual([]);
    }
    expect(await page.getByRole('link', { name: 'Operators' }).count()).toBe(0);
    await page.goto(`${ground.url}/dashboard/audit`);
    await page.getByText('There is no such page').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await page.goto(`${ground.url}/dashboard/settings?show=all`);
    await page.getByText('access.secretKeys').waitFor();
    expect(await page.content()).not.toContain(SECRET);
    await viewing.close();
  });
});
