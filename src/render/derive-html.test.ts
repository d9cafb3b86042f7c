import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deriveHtml } from './derive-html.js';

describe('deriveHtml', () => {
  test('text → escaped paragraphs with line breaks, no links', () => {
    const html = deriveHtml('Hi <b> & "you"\r\nsecond\n\n\nhttps://x.example\n');
    expect(html).toContain('<p>Hi &lt;b&gt; &amp; &quot;you&quot;<br>\nsecond</p>\n<p>https://x.example</p>');
    expect(html).not.toContain('<a');
    expect(html.startsWith('<!DOCTYPE html>')).toBe(true);
  });

  test('any text → no tag of its own making survives', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const body = deriveHtml(text).split('<body>\n')[1]!.split('\n</body>')[0]!;
        expect(body.replaceAll(/<\/?p>|<br>/g, '')).not.toMatch(/[<>]/);
      }),
    );
  });
});
