import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith } from '../services/index.js';
import { type DashboardGround, openDashboard, PASSWORD, seriousProblems } from './ground/open-dashboard.js';

/** A company's own words from the first letter to the roll back, as an operator writes them. */
describeWith('postgres', 'chromium')('content in the dashboard', () => {
  let ground: DashboardGround;
  beforeAll(async () => {
    ground = await openDashboard();
    await ground.door.postrider.access.tenants.create({ companyId: 'acme' });
  });
  afterAll(() => ground?.close());

  const key = { companyId: 'acme', type: 'welcome', lang: 'en' };
  const subjects = async () => {
    const versions = await ground.door.postrider.templates.listVersions(key);
    return versions.map(({ state, subject }) => `${state} ${subject}`);
  };

  test('words of one’s own: seen while typed, refused with their line, published, rolled back', async () => {
    const context = await ground.signedIn('operator');
    const { page, errors, strangers, dialogs } = await ground.visit('/content?companyId=acme', {
      ...{ context, base: ground.url },
    });
    await page.getByLabel('Find').fill('welcome');
    await page
      .getByRole('row', { name: /^welcome/ })
      .getByRole('link', { name: 'en', exact: true })
      .click();
    const frame = page.frameLocator('iframe');
    await frame.getByText('Hello Ada').first().waitFor();

    await page.getByRole('button', { name: 'Say it differently' }).click();
    const html = page.getByRole('textbox', { name: 'HTML' });
    // It begins with what the code says.
    expect(await html.inputValue()).toContain('{{> title text=');
    await page.getByLabel('Subject').fill('Good day, {{name}}');
    await html.fill('{{> paragraph text="Glad you are here."}}');
    await frame.getByText('Glad you are here.').waitFor();
    await page.getByText('Good day, Ada', { exact: true }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);

    await html.fill('<p>ok</p>\n<p>{{nobody}}</p>');
    await page
      .getByRole('alert')
      .getByText(/line 2.*nobody/)
      .waitFor();
    await html.fill('<script>alert(1)</script><p>Hello {{name}}</p>');
    await page
      .getByRole('alert')
      .getByText(/script/)
      .waitFor();
    await html.fill('<p>Hello {{name}}</p>');
    await page.getByRole('alert').waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Save the draft' }).click();
    await expect.poll(subjects).toEqual(['draft Good day, {{name}}']);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect.poll(subjects).toEqual(['published Good day, {{name}}']);
    const { emailId } = await ground.door.postrider.send({
      ...{ type: 'welcome', to: 'ada@example.net', companyId: 'acme', lang: 'en', data: { name: 'Ada' } },
    });
    expect((await ground.door.postrider.get(emailId))?.subject).toBe('Good day, Ada');

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Subject').fill('Second');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
    await expect.poll(subjects).toEqual(['published Second', 'retired Good day, {{name}}']);
    await page
      .getByRole('row', { name: /^1 retired/ })
      .getByRole('button', { name: 'Roll back' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await expect.poll(async () => (await subjects())[0]).toBe('published Good day, {{name}}');
    expect([errors, strangers, dialogs]).toEqual([[], [], []]);
    await context.close();
  });

  test('words that are not saved → there after another page and a reload, and after signing in anew', async () => {
    const email = 'writer@example.com';
    const context = await ground.signedIn('operator', email);
    const { page, errors, close } = await ground.visit('/content/reminder/en?companyId=acme&edit=1', {
      ...{ context, base: ground.url },
    });
    const subject = page.getByLabel('Subject');
    await subject.fill('Half a thought');
    await page.getByText('kept in this tab').waitFor();
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('heading', { name: 'Schedules', level: 1 }).waitFor();
    await page.goBack();
    await page.getByText('as you left it').waitFor();
    expect(await subject.inputValue()).toBe('Half a thought');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Go on writing' }).click();
    expect(await page.evaluate(WOULD_LEAVE)).toBe(false);
    await page.reload();
    await page.getByText('as you left it').waitFor();
    await subject.fill('A whole thought');

    const { pool, postrider } = ground.door;
    await pool.query('delete from postrider.admin_sessions');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // The page is there, out of reach.
    expect(await page.locator('[inert]').getByText('Save the draft').count()).toBe(1);
    expect(await seriousProblems(page)).toEqual([]);
    await ground.signIn(page, email);
    await page.getByText('You were signed out before this was done.').waitFor();
    expect(await subject.inputValue()).toBe('A whole thought');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByText('The draft.', { exact: true }).waitFor();
    const versions = await postrider.templates.listVersions({ ...key, type: 'reminder' });
    expect(versions.map((version) => version.subject)).toEqual(['A whole thought']);
    await page.reload();
    await page.getByText('The draft.', { exact: true }).waitFor();

    // What one person typed is not for the next.
    await subject.fill('Of the one before');
    await pool.query('delete from postrider.admin_sessions');
    await page.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await postrider.access.admins.create({
      ...{ email: 'next@example.com', name: 'Next', role: 'operator', password: PASSWORD },
    });
    await ground.signIn(page, 'next@example.com');
    await page.getByText('The draft.', { exact: true }).waitFor();
    expect(await subject.inputValue()).toBe('A whole thought');
    expect(errors).toEqual([]);
    await close();
    await context.close();
  });

  test('a viewer → sees it on a phone and in the dark, and has nothing to change it with', async () => {
    const context = await ground.signedIn('viewer');
    const { page } = await ground.visit('/content/password_reset/de', { context, base: ground.url });
    const frame = page.frameLocator('iframe');
    const groundColor = () =>
      // biome-ignore lint/suspicious/noExplicitAny: the tests know no DOM
      frame.locator('body').evaluate((body: any): string => {
        const view = body.ownerDocument.defaultView;
        const colors = [body, ...body.querySelectorAll('*')].map(
          (one) => view.getComputedStyle(one).backgroundColor,
        );
        return colors.find((color) => !/, 0\)$/.test(color));
      });
    await frame.getByText('Passwort').first().waitFor();
    const light = await groundColor();
    await page.getByText('Dark', { exact: true }).click();
    await expect.poll(groundColor).not.toBe(light);
    await page.getByText('Phone', { exact: true }).click();
    await expect.poll(async () => (await page.locator('iframe').boundingBox())?.width).toBe(375);
    await page.getByText('Text', { exact: true }).click();
    await page.getByRole('region', { name: 'Plain text' }).getByText('Passwort').first().waitFor();
    expect(await page.getByRole('button', { name: /Say it|Edit|Publish|Roll back/ }).count()).toBe(0);
    await context.close();
  });
});

const WOULD_LEAVE = "window.dispatchEvent(new Event('beforeunload', { cancelable: true }))";
