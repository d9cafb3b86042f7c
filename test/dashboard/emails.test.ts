import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../../src/index.js';
import { describeWith, waitFor } from '../services/index.js';
import { type DashboardGround, openDashboard, overhang, seriousProblems } from './ground/open-dashboard.js';

/** Emails and dead letters as an operator works with them, and what hostile content may do there. */
describeWith('postgres', 'chromium')('emails and dead letters in the dashboard', () => {
  let ground: DashboardGround;
  let sentId: string;
  beforeAll(async () => {
    ground = await openDashboard({ config: { limits: { enabled: false } } });
    const { postrider, provider } = ground.door;
    provider.script('hostile@example.net', failure('SMTP_550', HOSTILE));
    provider.script('doubt@example.net', {
      ...{ kind: 'unknown', scope: 'message', code: 'ETIMEDOUT', category: 'TIMEOUT_ERROR' },
      ...{ message: 'no answer', trace: { stage: 'dot' } },
    });
    await postrider.start();
    await postrider.access.tenants.create({ companyId: 'evil', name: HOSTILE });
    sentId = await send({ to: 'ada@example.net', subject: 'Your order', html: '<h1>Packed</h1>' });
    await send({
      ...{ to: 'hostile@example.net', subject: LONG, companyId: 'evil', metadata: { note: HOSTILE } },
      ...{ html: '<h1>Inside</h1><p>plain</p>', text: HOSTILE },
    });
    for (let i = 0; i < 3; i++) {
      provider.script(`bounced-${i}@example.net`, failure('SMTP_550', 'no such user'));
      await send({ to: `bounced-${i}@example.net`, subject: `Bounced ${i}` });
    }
    await send({ to: 'doubt@example.net', subject: 'In doubt', delivery: 'at-most-once' });
    await waitFor(
      async () => {
        const { emails } = await postrider.list();
        return emails.every(({ status }) => ['sent', 'failed', 'unknown'].includes(status));
      },
      { timeoutMs: 30_000, what: 'every email to end' },
    );
  });
  afterAll(() => ground?.close());

  async function send(email: object): Promise<string> {
    const input = { text: 'x', ...email } as Parameters<DashboardGround['door']['postrider']['send']>[0];
    return (await ground.door.postrider.send(input)).emailId;
  }
  const statusOf = async (id: string) => (await ground.door.postrider.get(id))?.status;

  test('search by status and recipient → found, kept in the address, and there after a reload', async () => {
    const { page, errors, strangers, close } = await ground.visit('/emails');
    await page.getByRole('link', { name: 'Your order' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByLabel('Recipient').fill('bounced-1@example.net');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(page.url()).toContain('recipient=bounced-1%40example.net');
    await page.reload();
    await page.getByRole('link', { name: 'Bounced 1' }).waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByLabel('From day').fill('2020-01-31');
    await expect.poll(() => page.url()).toContain('from=2020-01-31');
    await page.goBack();
    await expect.poll(() => page.getByLabel('From day').inputValue()).toBe('');
    await page.getByLabel('Recipient').fill('  Bounced-2@Example.net ');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Bounced 2' }).waitFor();
    await page.getByLabel('Recipient').fill('not an address');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Clear', exact: true }).click();
    await page.getByRole('link', { name: 'Your order' }).waitFor();
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await close();
  });

  test('search by type, tenant, provider and message id → each leads to it and stands in the address; as CSV too', async () => {
    const id = await send({
      ...{ to: 'kinds@example.net', subject: '=Of a kind', type: 'receipt_mail', companyId: 'evil' },
    });
    await expect.poll(() => statusOf(id)).toBe('sent');
    const email = (await ground.door.postrider.get(id))!;
    const { page, close } = await ground.visit('/emails');
    await page.getByRole('button', { name: 'More' }).click();
    for (const [label, name, value] of [
      ['Type', 'type', 'receipt_mail'],
      ['Tenant', 'companyId', 'evil'],
      ['Provider', 'provider', email.provider!],
      ['Message id', 'messageId', email.messageId!],
    ] as const) {
      await page.getByLabel(label).fill(value);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.searchParams.get(name) === value);
      await page.getByRole('link', { name: '=Of a kind' }).waitFor();
      if (name !== 'messageId') await page.getByRole('button', { name: 'Clear', exact: true }).click();
    }
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    const csv = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const text = await (await page.request.get(ground.openUrl + csv!)).text();
    expect(text.trim().split('\r\n')).toHaveLength(2);
    expect(text).toContain(`"'=Of a kind"`);

    await page.getByRole('link', { name: '=Of a kind' }).click();
    await page.getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suppress' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { suppressions } = ground.door.postrider;
    expect(await suppressions.find('kinds@example.net', { companyId: 'evil' })).toMatchObject([
      { reason: 'manual' },
    ]);
    await close();
  });

  test('one email → its way, its content in a frame, its attempts and events; sent again → the new one', async () => {
    const { page, errors, close } = await ground.visit(`/emails/${sentId}`);
    await page.getByRole('heading', { name: 'Your order', level: 1 }).waitFor();
    await page.getByRole('list', { name: 'The way of this email' }).getByText('Sent').waitFor();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Packed' }).waitFor();
    await page.getByRole('cell', { name: 'SENT', exact: true }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Source' }).click();
    await page.locator('pre', { hasText: '<h1>Packed</h1>' }).waitFor();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('link', { name: sentId }).waitFor();
    expect(page.url()).not.toContain(sentId);
    expect(errors).toEqual([]);
    await close();
  });

  test('a scheduled email → cancelled by keyboard alone', async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const id = await send({ to: 'later@example.net', subject: 'Later', scheduledAt });
    const { page, close } = await ground.visit(`/emails/${id}`);
    await page.getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the email' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'The way of this email' }).getByText('Cancelled').waitFor();
    expect(await statusOf(id)).toBe('cancelled');
    await close();
  });

  test('scripts in subject, error, tenant, metadata and text → shown as text, nothing runs', async () => {
    const { page, errors, dialogs, strangers, close } = await ground.visit('/emails?companyId=evil');
    await page.getByRole('link', { name: HOSTILE }).click();
    await expect.poll(() => page.locator('h1').textContent()).toBe(LONG);
    await page.getByText(`SMTP_550 ${HOSTILE}`).first().waitFor();
    await page.getByRole('tab', { name: 'Text' }).click();
    await page.locator('pre', { hasText: HOSTILE }).first().waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await overhang(page)).toBe(0);
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect([dialogs, strangers, errors]).toEqual([[], [], []]);
    await close();
  });

  test('the frame of an email → no scripts, no origin, no network, wherever it is opened', async () => {
    const id = await send({ to: 'framed@example.net', subject: 'Framed', html: '<h1>Inside</h1>' });
    const { page, dialogs, strangers, close } = await ground.visit(`/emails/${id}`);
    const frame = page.locator('iframe');
    await frame.waitFor();
    expect(await frame.getAttribute('sandbox')).not.toMatch(/scripts|same-origin|top-navigation|forms/);
    await ground.door.pool.query('update postrider.email_bodies set html = $2 where email_id = $1', [
      id,
      `<h1>Inside</h1><script>window.owned = 1; alert(1)</script><img src="http://evil.example/x.png" onerror="alert(2)">`,
    ]);
    await page.goto(`${ground.openUrl}/admin/emails/${id}/html`);
    await page.getByRole('heading', { name: 'Inside' }).waitFor();
    expect(await page.evaluate('window.origin')).toBe('null');
    expect(await page.evaluate('window.owned')).toBeUndefined();
    expect(dialogs).toEqual([]);
    expect(strangers.filter((url) => !url.includes('evil.example'))).toEqual([]);
    await close();
  });

  test('dead letters → by error; a group tried again with how far it is; one in doubt only once that is accepted', async () => {
    for (let i = 0; i < 3; i++) ground.door.provider.script(`bounced-${i}@example.net`);
    ground.door.provider.script('hostile@example.net');
    await ground.door.pool.query(
      `update postrider.email_attempts set error_code = null
       where email_id = (select id from postrider.emails where to_address = 'bounced-2@example.net')`,
    );
    const { page, errors, close } = await ground.visit('/dead-letters');
    const leave = () =>
      page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();
    await page
      .getByRole('row', { name: /no code/ })
      .getByRole('button', { name: 'Retry group' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('status').getByText('1 of 1 go again.').waitFor();
    await leave();
    const group = page.getByRole('row', { name: /SMTP_550/ }).first();
    await group.waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await group.getByRole('button', { name: 'Retry group' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('status').getByText('3 of 3 go again.').waitFor();
    await leave();
    await page.getByRole('link', { name: 'In doubt' }).click();
    await page.getByRole('button', { name: 'Retry' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Try again' });
    expect(await confirm.isDisabled()).toBe(true);
    ground.door.provider.script('doubt@example.net');
    await page.getByRole('checkbox').check();
    await confirm.click();
    await page.getByRole('list', { name: 'The way of this email' }).getByText('Sent').waitFor();
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByRole('heading', { name: 'No dead letters' }).waitFor();
    expect(errors).toEqual([]);
    await close();
  });

  test('dead letters of several errors → all tried again at once, with how far it is', async () => {
    const { provider } = ground.door;
    const failing = [550, 552, 554].map((code) => ({ to: `all-${code}@example.net`, code }));
    for (const { to, code } of failing) provider.script(to, failure(`SMTP_${code}`, 'not now, not ever'));
    const ids = await Promise.all(failing.map(({ to }) => send({ to, subject: 'One of several' })));
    const all = (status: string) =>
      waitFor(async () => (await Promise.all(ids.map(statusOf))).every((is) => is === status), {
        ...{ timeoutMs: 30_000, what: `all to be ${status}` },
      });
    await all('failed');
    for (const { to } of failing) provider.script(to);
    const { page, errors, close } = await ground.visit('/dead-letters');
    await page.getByRole('button', { name: 'Retry all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('status').getByText('3 of 3 go again.').waitFor();
    await all('sent');
    expect(errors).toEqual([]);
    await close();
  });

  test('the code of a page does not come → said with what to do, and the page is there once it does', async () => {
    const { page, close } = await ground.visit('/emails');
    await page.route(/audit-page/, (route) => route.abort());
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('alert').getByText('This page could not be loaded.').waitFor();
    await page.unroute(/audit-page/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Audit log' }).waitFor();
    await close();
  });

  test('a viewer → sees everything and is offered nothing', async () => {
    const context = await ground.signedIn('viewer');
    const { page } = await ground.visit(`/emails/${sentId}`, { context, base: ground.url });
    await page.getByRole('heading', { name: 'Your order', level: 1 }).waitFor();
    await page.getByRole('cell', { name: 'SENT', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /Retry|Send again|Suppress|Cancel/ }).count()).toBe(0);
    await context.close();
  });

  test.each(['/', '/emails', '/dead-letters'])(
    '%s on a phone → nothing is wider than the screen',
    async (path) => {
      const { page, close } = await ground.visit(path, { width: 360, height: 740 });
      await page.locator('h1').waitFor();
      await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
      expect(await overhang(page)).toBe(0);
      await page.getByRole('button', { name: 'Open navigation' }).click();
      await page.getByRole('link', { name: 'Emails' }).waitFor();
      expect(await overhang(page)).toBe(0);
      await close();
    },
  );
});

const HOSTILE = `<script>window.owned=1;alert('x')</script><img src=x onerror="window.owned=1">`;
const LONG = HOSTILE + 'W'.repeat(60);

function failure(code: string, message: string): Outcome {
  return {
    ...{ kind: 'rejected', scope: 'recipient', code, category: 'PERMANENT_ERROR', message },
    trace: { stage: 'rcpt', response: message },
  };
}
