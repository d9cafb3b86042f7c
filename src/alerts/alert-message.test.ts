import { expect, test } from 'vitest';
import { type AlertMessage, emailContent, slackBody, webhookBody } from './alert-message.js';
import { ALERTS } from './alerts.js';

const message: AlertMessage = {
  ...{ episodeId: 'e-1', kind: 'begin', alert: 'bounces', subject: 'tenant a&b', tenant: 'a&b' },
  ...{ severity: 'ticket', sentence: '6 of 50 emails of a&b sent <today> bounced (12 %).' },
  ...{ beganAt: '2026-01-02T03:04:05.678Z', endedAt: null },
};
const URL = 'https://mail.example.com/';

test('a message → what, since when and whom it concerns, what to do, and a link to what shows it', () => {
  const { subject, text, html } = emailContent(message, URL);
  expect(subject).toBe('[Postrider] Notice: bounces (tenant a&b)');
  expect(text.split('\n')).toEqual([
    '6 of 50 emails of a&b sent <today> bounced (12 %).',
    'Since 2026-01-02 03:04 UTC; concerns the tenant a&b; alert bounces.',
    'What to do: Find out where the addresses come from and stop sending to them; providers close accounts that go on.',
    'https://mail.example.com/dashboard/suppressions?reason=bounce&companyId=a%26b',
  ]);
  expect(html).toContain('&lt;today&gt;');
  expect(html).toContain(
    '<a href="https://mail.example.com/dashboard/suppressions?reason=bounce&amp;companyId=a%26b">',
  );
  expect(slackBody(message, null)).toEqual({
    text: expect.stringMatching(/^🟠 6 of 50 emails of a&amp;b sent &lt;today&gt; bounced/),
  });
  expect(webhookBody(message, URL, new Date(0))).toMatchObject({
    type: 'alert.opened',
    data: { company_id: 'a&b', url: expect.stringContaining('/dashboard/suppressions?') },
  });
});

test('its end → the same sentence as over, from when to when, and nothing to do', () => {
  const end = { ...message, kind: 'end' as const, endedAt: '2026-01-02T05:00:00.000Z' };
  const { subject, text } = emailContent(end, null);
  expect(subject).toBe('[Postrider] Over: bounces (tenant a&b)');
  expect(text.split('\n')).toEqual([
    'Over: 6 of 50 emails of a&b sent <today> bounced (12 %).',
    'From 2026-01-02 03:04 UTC to 2026-01-02 05:00 UTC; concerns the tenant a&b; alert bounces.',
  ]);
});

test('a subject with any characters → a page of the dashboard that is a URL', () => {
  const pages = ALERTS.flatMap(({ page }) => [page('x y', null), page('x y', 'a/b?c&d#e')]);
  expect(
    pages.filter((page) => !globalThis.URL.canParse(page, `${URL}dashboard/`) || /\s/.test(page)),
  ).toEqual([]);
});
