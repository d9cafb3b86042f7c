import { describe, expect, test } from 'vitest';
import { findActiveContent } from './find-active-content.js';

describe('limits', () => {
  const size = 512 * 1024;
  const fill = (piece: string) => piece.repeat(Math.floor(size / piece.length));
  const manyBolds = Array.from({ length: 480 }, (_, i) => `<b a${i}>`).join('');
  const longBolds = Array.from(
    { length: 480 },
    (_, i) => `<b a${i} style="${'a:url(x);'.repeat(100)}">`,
  ).join('');
  const trigger = '<a href="x" title="script:">';
  test.each([
    ['deep nesting', trigger + fill('<div>')],
    ['deep nesting of formatting', trigger + fill('<b>')],
    ['multiplying formatting', `${trigger}<p>${manyBolds}${fill('<p>x')}`],
    ['multiplying formatting with long attributes', `${trigger}<p>${longBolds}${fill('<p>x')}`],
    ['unclosed comments', trigger + fill('<!--')],
    ['many comments', trigger + fill('<!--script:-->')],
    ['many conditional comments', trigger + fill('<!--[if a]><b title="script:"><![endif]-->')],
    [
      'many attributes',
      `${trigger}<p ${Array.from({ length: 60_000 }, (_, i) => `a${i.toString(36)}=b`).join(' ')}>`,
    ],
    ['one long attribute', `${trigger}<p style="${fill('url(')}">`],
    ['unclosed CSS comments', `${trigger}<style>${fill('/*(')}</style>`],
    ['many CSS escapes', `${trigger}<style>${fill('\\6a')}</style>`],
    ['misnested tables', trigger + fill('<table><b>')],
    ['stray end tags', `${trigger}${'<i>'.repeat(400)}${fill('</q>').slice(0, size - 1300)}`],
    ['entities', `${trigger}<a href="${fill('&#x6a')}">`],
    ['almost handlers', fill(' onx"')],
    ['almost handlers in back quotes', fill('`on')],
    ['almost schemes', fill('s c r i p ')],
    ['angle brackets', trigger + fill('<')],
  ])('512 KB of %s → answered in linear time', (_, html) => {
    const begun = performance.now();
    findActiveContent(html);
    // A tenth of this where nothing else runs; what is not linear takes minutes.
    expect(performance.now() - begun).toBeLessThan(5000);
  });

  test('nesting beyond the limit → refused as not checkable', () => {
    expect(findActiveContent(trigger + '<div>'.repeat(2000))).toMatch(/nested too deeply/);
    expect(findActiveContent(`${trigger}<script>${'<!--'.repeat(20)}`)).not.toBeNull();
    expect(findActiveContent(`${trigger}${'<!--'.repeat(20)}<p title="script:">`)).toMatch(/comments nested/);
  });
});
