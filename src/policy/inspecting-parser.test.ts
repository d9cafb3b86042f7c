import { describe, expect, test } from 'vitest';
import { longestTurn } from '../kernel/longest-turn.fixture.js';
import { findActiveContent } from './find-active-content.js';

describe('limits', () => {
  const size = 512 * 1024;
  const fill = (piece: string) => piece.repeat(Math.floor(size / piece.length));
  const each = (piece: (n: string) => string) => {
    let html = '';
    for (let n = 0; html.length < size; n++) html += piece(n.toString(36));
    return html;
  };
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
    ['short elements', trigger + fill('<b>x</b>')],
    ['words in a table', `${trigger}<table>${fill('x ')}`],
    ['noscript', `${trigger}${fill('<noscript><b>x</b></noscript>')}`],
    ['children that change their parent', `${trigger}${manyBolds}<p>${fill('<i></i>')}${'</b>'.repeat(480)}`],
    ['bodies with attributes', trigger + each((n) => `<body a${n}>`)],
    ['attributes without values', `${trigger}<p ${each((n) => `a${n} `)}>`],
    ['comments that differ', trigger + each((n) => `<!--script:${n}-->`)],
    ['srcdoc values that differ', trigger + each((n) => `<a srcdoc="<b title=script:${n}>">`)],
    ['style sheets', trigger + fill('<style>(</style>')],
    ['style attributes', trigger + fill('<b style="("></b>')],
    ['references in text', trigger + fill('&amp;')],
    ['references that are none', trigger + fill('&CounterClockwiseContourIntegra')],
    ['hyphens in a link', `${trigger}<a href="${fill('-')}x:">`],
  ])('512 KB of %s → judged in linear time, and nothing else waits for it', async (_, html) => {
    const { longest, total } = await longestTurn(async () => findActiveContent(html));
    // Up to 50 ms and 250 ms where nothing else runs; what is not linear takes seconds to minutes.
    expect(longest).toBeLessThan(500);
    expect(total).toBeLessThan(2500);
  });

  test('nesting beyond the limit → refused as not checkable', async () => {
    expect(await findActiveContent(trigger + '<div>'.repeat(2000))).toMatch(/nested too deeply/);
    expect(await findActiveContent(`${trigger}<script>${'<!--'.repeat(20)}`)).not.toBeNull();
    expect(await findActiveContent(`${trigger}${'<!--'.repeat(20)}<p title="script:">`)).toMatch(
      /comments nested/,
    );
  });

  test('comments within comments beyond 1 MB in all → refused as not checkable', async () => {
    const nested = `${trigger}${'<!--'.repeat(4)}script:${'<b>'.repeat(140_000)}`;
    expect(await findActiveContent(nested)).toBe(
      'has more than 1 MB in comments within comments to be checked',
    );
  });

  test('several at once → one of them goes on in each turn of the event loop', async () => {
    const html = trigger + fill('<b>x</b>');
    const { longest } = await longestTurn(() =>
      Promise.all(Array.from({ length: 5 }, async () => findActiveContent(html))),
    );
    expect(longest).toBeLessThan(500);
  });
});
