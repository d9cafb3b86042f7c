import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../services/index.js';
import { type DashboardGround, openDashboard, PASSWORD, seriousProblems } from './ground/open-dashboard.js';

/** Signing in as a person does it: by keyboard, by paste, with mistakes. */
describeWith('postgres', 'chromium')('signing in to the dashboard', () => {
  let ground: DashboardGround;
  beforeAll(async () => {
    ground = await openDashboard();
  });
  afterAll(() => ground?.close());

  let count = 0;
  async function account(): Promise<string> {
    count += 1;
    const email = `person-${count}@example.com`;
    const { admins } = ground.door.postrider.access;
    await admins.create({ email, name: 'Ada', role: 'operator', password: PASSWORD });
    return email;
  }

  test('keyboard alone: password, Enter, six digits → inside, and the cookie is out of reach of scripts', async () => {
    const email = await account();
    const { page, errors, strangers, close } = await ground.visit('/', { base: ground.url });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.keyboard.type(await ground.codeFor(email));
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await close();
  });

  test('a wrong password → said without naming the field, and the right one still works', async () => {
    const email = await account();
    const { page, close } = await ground.visit('/', { base: ground.url });
    await page.getByLabel('Email').fill(email);
    await page.locator('input[name=password]').fill('wrong');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').getByText('The address or the password is wrong.').waitFor();
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    await close();
  });

  test('a wrong code → the field is empty again; the right one pasted → inside; signed out → outside', async () => {
    const email = await account();
    const { page, context, close } = await ground.visit('/', { base: ground.url });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByLabel('Email').fill(email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    const code = await ground.codeFor(email);
    await page.keyboard.type(code === '111111' ? '222222' : '111111');
    await page.getByRole('alert').waitFor();
    const first = page.getByLabel('Digit 1');
    await expect.poll(() => first.inputValue()).toBe('');
    await first.focus();
    await page.evaluate(`navigator.clipboard.writeText('${code.slice(0, 3)} ${code.slice(3)}')`);
    await page.keyboard.press('Control+V');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Ada' }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await close();
  });

  test('another code is asked for → only after the countdown', async () => {
    const email = await account();
    const { page, close } = await ground.visit('/', { base: ground.url });
    await page.clock.install();
    await page.getByLabel('Email').fill(email);
    await page.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter the code' }).waitFor();
    const before = await ground.codeFor(email);
    const again = page.getByRole('button', { name: /^Send again/ });
    expect(await again.isDisabled()).toBe(true);
    expect(await again.textContent()).toMatch(/in \d+ s/);
    await page.clock.runFor(31_000);
    await expect.poll(() => again.isDisabled()).toBe(false);
    await ground.door.pool.query(`update postrider.admin_sign_ins set sent_at = now() - interval '1 minute'`);
    await again.click();
    await page.getByText('Another code is on its way.').waitFor();
    expect(await again.isDisabled()).toBe(true);
    expect(await ground.codeFor(email)).not.toBe(before);
    await close();
  });
});
