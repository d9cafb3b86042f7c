import { describe, expect, test } from 'vitest';
import { checkContent } from './content-rules.js';

const good = { subject: 'Welcome', html: '<p>Hello</p>', text: 'Hello' };

describe('accepted', () => {
  test.each([
    ['html and text', good],
    ['html alone', { ...good, text: '' }],
    ['text alone', { ...good, html: '' }],
    ['subject of 150 characters outside the basic plane', { ...good, subject: '🎉'.repeat(150) }],
    ['html of exactly 512 KB', { ...good, html: 'a'.repeat(512 * 1024) }],
    ['white space of every kind in a body', { ...good, text: 'a\tb\r\nc\fd\ve\u0085' }],
  ])('%s → no problem', (_, content) => {
    // At once: no ordinary email waits for a promise.
    expect(checkContent(content)).toBeNull();
  });
});

describe('refused', () => {
  test.each([
    ['empty subject', { ...good, subject: '' }, 'subject'],
    ['blank subject', { ...good, subject: '  ' }, 'subject'],
    ['subject of 151 characters', { ...good, subject: 'a'.repeat(151) }, 'subject'],
    ['subject of 151 emoji', { ...good, subject: '🎉'.repeat(151) }, 'subject'],
    ['subject with a second header', { ...good, subject: 'a\r\nBcc: b@c.example' }, 'subject'],
    ['subject with a tab', { ...good, subject: 'a\tb' }, 'subject'],
    ['subject with a C1 control', { ...good, subject: 'a\u0085b' }, 'subject'],
    ['subject with an override', { ...good, subject: 'a\u202eb' }, 'subject'],
    ['subject with a lone surrogate', { ...good, subject: 'a\ud800' }, 'subject'],
    ['both bodies empty', { ...good, html: '', text: '' }, 'html'],
    ['both bodies blank', { ...good, html: ' \n', text: '\t' }, 'html'],
    ['html over 512 KB', { ...good, html: 'a'.repeat(512 * 1024 + 1) }, 'html'],
    ['html over 512 KB of UTF-8', { ...good, html: 'å'.repeat(256 * 1024 + 1) }, 'html'],
    ['text over 512 KB', { ...good, text: 'a'.repeat(512 * 1024 + 1) }, 'text'],
    ['NUL in html', { ...good, html: '<p>\u0000</p>' }, 'html'],
    ['script broken by NUL', { ...good, html: '<scr\u0000ipt>alert(1)</script>' }, 'html'],
    ['escape in text', { ...good, text: '\u001b[31m' }, 'text'],
    ['lone surrogate in text', { ...good, text: '\udfff' }, 'text'],
    ['script', { ...good, html: '<script>x</script>' }, 'html'],
    ['event handler', { ...good, html: '<p onclick=x>' }, 'html'],
    ['javascript URL', { ...good, html: '<a href=javascript:x>' }, 'html'],
  ])('%s → INVALID_TEMPLATE naming the field', async (_, content, field) => {
    const problem = await checkContent(content);
    expect(problem).toMatchObject({ code: 'INVALID_TEMPLATE', field });
    expect(problem!.message.startsWith(`${field} `)).toBe(true);
  });
});
