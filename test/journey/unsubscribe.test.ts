import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpApp, type HttpServer, startHttpServer } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import type { Accepted } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { freePort } from '../services/free-port.js';
import { describeWith, openBrowser } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

const KEYS = 'the key that signs now,the key that signed before';
let journey: Journey;
let server: HttpServer;
let base: string;

beforeAll(async () => {
  const port = await freePort();
  base = `http://127.0.0.1:${port}`;
  journey = await openJourney({
    config: { unsubscribe: { publicUrl: base, keys: KEYS }, limits: { enabled: false } },
  });
  const app = createHttpApp({
    rooms: httpRooms(journey.postrider),
    logger: silentLogger,
    clock: systemClock,
    apiKey: 'a key nobody who clicks has',
    bodyLimitBytes: 1024 * 1024,
  });
  server = await startHttpServer({ app, host: '127.0.0.1', port });
});
afterAll(async () => {
  await server.stop({ deadlineMs: 1000 });
  await journey.close();
});

const reminder = { type: 'checkin_reminder' as const, data: { streakDays: 3 } };

async function headersOf({ emailId }: Accepted): Promise<Record<string, string>> {
  const { rows } = await journey.pool.query('select message from postrider.emails where id = $1', [emailId]);
  return rows[0].message.headers ?? {};
}

async function linkOf(email: Accepted): Promise<string> {
  return (await headersOf(email))['List-Unsubscribe']!.slice(1, -1);
}

const oneClick = (link: string, init: RequestInit = {}) =>
  fetch(link, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
    redirect: 'manual',
    ...init,
  });

test('an email people can refuse → carries both headers and the link in its body, from the moment it is accepted', async () => {
  const email = await journey.postrider.send({ companyId: 'a', to: 'ada@example.com', ...reminder });
  const headers = await headersOf(email);
  expect(headers['List-Unsubscribe']).toMatch(/^<http:\/\/127\.0\.0\.1:\d+\/u\/[A-Za-z0-9_-]+>$/);
  expect(headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
  const { rows } = await journey.pool.query(
    'select html, text from postrider.email_bodies where email_id = $1',
    [email.emailId],
  );
  expect(rows[0].html).toContain(await linkOf(email));
  expect(rows[0].text).toContain(await linkOf(email));
});

test.each([
  ['of sign-in', { ...anEmail(), category: 'auth' }],
  ['without a kind', anEmail()],
  ['to two people', { ...anEmail({ to: ['a@example.com', 'b@example.com'] }), category: 'newsletter' }],
  ['with a hidden copy', { ...anEmail({ bcc: 'b@example.com' }), category: 'newsletter' }],
])('an email %s → carries none', async (_, input) => {
  expect(await headersOf(await journey.postrider.send(input))).toEqual({});
});

test('a list the caller names itself → stays as it is', async () => {
  const own = { 'list-unsubscribe': '<mailto:leave@example.com>' };
  const sent = await journey.postrider.send({ ...anEmail({ headers: own }), category: 'newsletter' });
  expect(await headersOf(sent)).toEqual(own);
});

test('one click without cookie or key → that kind stops, other kinds go on, and the timeline says so', async () => {
  await journey.postrider.start();
  const company = { companyId: 'one-click' };
  await journey.postrider.recipients.upsert(
    [{ email: 'bo@example.com', preferences: { reminders: true, weeklyFocus: true } }],
    company,
  );
  const email = await journey.postrider.send({ ...company, to: 'Bo@example.com', ...reminder });
  await journey.untilStatus(email.emailId, 'sent');
  const link = await linkOf(email);
  for (const method of ['GET', 'HEAD']) {
    expect((await fetch(link, { method })).status).toBe(200);
  }
  expect((await journey.postrider.send({ ...company, to: 'bo@example.com', ...reminder })).queued).toBe(true);
  for (let clicks = 0; clicks < 2; clicks += 1) expect((await oneClick(link)).status).toBe(200);
  expect((await journey.postrider.send({ ...company, to: 'bo@example.com', ...reminder })).status).toBe(
    'suppressed',
  );
  expect(
    (
      await journey.postrider.send({
        ...anEmail({ to: 'bo@example.com' }),
        ...company,
        category: 'weeklyFocus',
      })
    ).queued,
  ).toBe(true);
  expect(await journey.postrider.recipients.get({ email: 'bo@example.com' }, company)).toMatchObject({
    preferences: { reminders: false, weeklyFocus: true },
  });
  const events = await journey.postrider.timeline(email.emailId);
  expect(events.filter(({ type }) => type === 'UNSUBSCRIBED')).toMatchObject([
    { metadata: { category: 'reminders', by: 'one-click' } },
  ]);
});

test('one click as multipart, as mail programs may send it → works', async () => {
  const email = await journey.postrider.send({ companyId: 'multi', to: 'm@example.com', ...reminder });
  const body = new FormData();
  body.set('List-Unsubscribe', 'One-Click');
  expect((await fetch(await linkOf(email), { method: 'POST', body })).status).toBe(200);
  expect(await journey.postrider.suppressions.find('m@example.com', { companyId: 'multi' })).toHaveLength(1);
});

test('a link that was changed, and one of a tenant’s that does not exist here → 404 and nothing happens', async () => {
  const email = await journey.postrider.send({ companyId: 'tampered', to: 't@example.com', ...reminder });
  const link = await linkOf(email);
  const last = link.slice(-2) === 'AA' ? 'BB' : 'AA';
  for (const wrong of [`${link.slice(0, -2)}${last}`, `${base}/u/x`, `${base}/u/${'A'.repeat(3000)}`]) {
    expect((await fetch(wrong)).status).toBe(404);
    expect((await oneClick(wrong)).status).toBe(404);
  }
  expect(await journey.postrider.suppressions.find('t@example.com', { companyId: 'tampered' })).toEqual([]);
});

test('a link of one tenant → changes nothing for the same address at another', async () => {
  const here = await journey.postrider.send({ companyId: 'here', to: 'x@example.com', ...reminder });
  await oneClick(await linkOf(here));
  expect(await journey.postrider.suppressions.find('x@example.com', { companyId: 'here' })).toHaveLength(1);
  expect(await journey.postrider.suppressions.find('x@example.com', { companyId: 'there' })).toEqual([]);
  expect(
    (await journey.postrider.send({ companyId: 'there', to: 'x@example.com', ...reminder })).queued,
  ).toBe(true);
});

test('the email long gone → its link still works, by the hash alone', async () => {
  const email = await journey.postrider.send({ companyId: 'old', to: 'old@example.com', ...reminder });
  const link = await linkOf(email);
  await journey.pool.query('delete from postrider.emails where id = $1', [email.emailId]);
  expect((await oneClick(link)).status).toBe(200);
  expect(await journey.postrider.suppressions.find('old@example.com', { companyId: 'old' })).toMatchObject([
    { email: null, reason: 'unsubscribe', category: 'reminders' },
  ]);
  expect(
    (await journey.postrider.send({ companyId: 'old', to: 'old@example.com', ...reminder })).queued,
  ).toBe(false);
});

test('a POST that says nothing, or far too much → refused', async () => {
  const link = await linkOf(
    await journey.postrider.send({ companyId: 'odd', to: 'odd@example.com', ...reminder }),
  );
  expect((await oneClick(link, { body: 'hello=1' })).status).toBe(400);
  expect((await oneClick(link, { body: 'x'.repeat(20_000) })).status).toBe(413);
  expect((await oneClick(link, { body: 'action=choose&keep=reminders&keep=evil' })).status).toBe(303);
  expect(await journey.postrider.suppressions.find('odd@example.com', { companyId: 'odd' })).toEqual([]);
});

describeWith('chromium')('the unsubscribe page in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test('a person without script → sees the kind by name, leaves it, changes their mind', async () => {
    const company = { companyId: 'page' };
    await journey.postrider.recipients.upsert(
      [{ email: 'p@example.com', preferences: { weeklyFocus: true, productNews: true } }],
      company,
    );
    const email = await journey.postrider.send({ ...company, to: 'p@example.com', ...reminder });
    const context = await browser.newContext({ locale: 'de-AT', javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(await linkOf(email));
    expect(await page.textContent('.lead')).toBe('Möchten Sie keine E-Mails „Erinnerungen“ mehr erhalten?');
    expect(await page.locator('label').allTextContents()).toEqual([
      'Erinnerungen',
      'Product news',
      'Wochenfokus',
    ]);
    await page.click('button.main');
    expect(await page.textContent('.lead')).toBe('Sie erhalten keine E-Mails „Erinnerungen“ mehr.');
    expect(await page.locator('input:checked').count()).toBe(2);
    await page.getByText('Von allem abmelden').click();
    expect(await page.locator('input:checked').count()).toBe(0);
    const all = { ...anEmail({ to: 'p@example.com' }), ...company };
    expect((await journey.postrider.send(all)).status).toBe('suppressed');
    expect((await journey.postrider.send({ ...all, category: 'auth' })).status).toBe('pending');
    await page.getByLabel('Wochenfokus').check();
    await page.getByText('Speichern').click();
    expect(await page.locator('input:checked').count()).toBe(1);
    expect((await journey.postrider.send({ ...all, category: 'weeklyFocus' })).queued).toBe(true);
    expect((await journey.postrider.send({ ...all, category: 'reminders' })).queued).toBe(false);
    await context.close();
  });

  test.each([
    ['desktop', 1280, 'light', 'en-GB'],
    ['phone', 360, 'dark', 'ko-KR'],
  ] as const)(
    '%s → nothing hangs over the edge and the button can be hit',
    async (name, width, colorScheme, locale) => {
      const email = await journey.postrider.send({
        companyId: 'looks',
        to: `${name}@example.com`,
        ...reminder,
      });
      const context = await browser.newContext({ viewport: { width, height: 760 }, colorScheme, locale });
      const page = await context.newPage();
      await page.goto(await linkOf(email));
      expect(await page.evaluate('document.scrollingElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
        0,
      );
      expect((await page.locator('button.main').boundingBox())!.height).toBeGreaterThanOrEqual(44);
      const picture = process.env.PICTURES_OF_PAGES;
      if (picture) await page.screenshot({ path: `${picture}/unsubscribe-${name}.png` });
      await context.close();
    },
  );
});
