import { describe, expect, test } from 'vitest';
import { fillBroadcast } from './fill-broadcast.js';
import type { Contact } from './recipients/index.js';

const contact: Contact = {
  ...{ id: 'c', email: 'ann@example.net', firstName: 'Ann <b>', lastName: null, unsubscribed: false },
  ...{ properties: { plan: 'A&B' }, preferences: {}, createdAt: '2026-01-01T00:00:00Z' },
};
const about = {
  ...{ companyId: 'acme', broadcastId: 'b', category: 'news' },
  fallbacks: new Map([['TEAM', 'R&D']]),
};
const content = { from: null, replyTo: null, subject: null, previewText: null, html: null, text: null };
const fill = (parts: Partial<typeof content> | object) =>
  fillBroadcast(() => 'https://x.test/u/1?a&b')({ ...content, ...parts }, about);

test('names, properties, alternatives, fallbacks and the link → text in HTML, as they are elsewhere', () => {
  const text = '{{{FIRST_NAME|you}}} {{{contact.plan}}} {{{LAST_NAME|<i>}}} {{{team}}} {{{gone}}}.';
  expect(fill({ subject: text, text, html: `${text}{{{UNSUBSCRIBE_URL}}}` })(contact)).toEqual({
    subject: 'Ann <b> A&B <i> R&D .',
    text: 'Ann <b> A&B <i> R&D .',
    html: 'Ann &lt;b&gt; A&amp;B <i> R&amp;D .https://x.test/u/1?a&amp;b',
  });
});

test('in two braces → the same as in three', () => {
  const text = '{{FIRST_NAME|you}} {{LAST_NAME|<i>}} {{gone}}.';
  expect(fill({ subject: text, text, html: text })(contact)).toEqual({
    subject: 'Ann <b> <i> .',
    text: 'Ann <b> <i> .',
    html: 'Ann &lt;b&gt; <i> .',
  });
});

describe('preview text', () => {
  const hidden = '<div style="display:none;max-height:0;overflow:hidden">New &amp; old</div>';
  const html = (text: string) => fill({ html: text, previewText: 'New & old' })(contact).html;

  test('a body → after its tag; none → in front of all', () => {
    expect(html('<!-- <body> --><body class="a>b"><p>x')).toBe(
      `<!-- <body> --><body class="a>b">${hidden}<p>x`,
    );
    expect(html('<p>x')).toBe(`${hidden}<p>x`);
  });

  test('20,000 times the beginning of a body → found out once for all, in linear time', () => {
    const forEach = fill({ html: '<body '.repeat(20_000), previewText: 'x' });
    const begun = process.cpuUsage();
    for (let person = 0; person < 20; person++) forEach(contact);
    const { user, system } = process.cpuUsage(begun);
    // A millisecond for all of them; it was more than a second for each.
    expect((user + system) / 1000).toBeLessThan(500);
  });
});
