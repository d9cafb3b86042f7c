import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inspectMarkup } from './inspecting-parser.js';
import { isSurelyInert } from './is-surely-inert.js';

describe('quick check', () => {
  test.each([
    '<!--[if mso]><v:roundrect href="https://x.example" style="height:40px"><center>Go</center></v:roundrect><![endif]-->',
    '<style>v\\:* {behavior:url(#default#VML);} a[href^="tel"]:hover { color: inherit } /* phones */</style>',
    '<p>It&#39;s &#8220;fine&#8221; &amp; &#x1F600;&nbsp;&lt;ok&gt; once, online, on Monday: a subscription</p>',
    '<td style="background:url(\'https://x.example/a.png\');scroll-behavior: smooth"><img src="data:image/png;base64,iVBO"></td>',
  ])('ordinary %s → no closer look needed', (html) => {
    expect(isSurelyInert(html)).toBe(true);
  });

  test('whatever it calls inert → the full inspection finds nothing', async () => {
    const pieces = fc.constantFrom(
      ...[
        '<',
        '>',
        '"',
        "'",
        '`',
        '=',
        ' ',
        '\t',
        '\n',
        '/',
        '\\',
        '*',
        '/*',
        '*/',
        '(',
        ')',
        ':',
        ';',
        '&',
        '#',
        '<!--',
        '-->',
      ],
      ...[
        '<a ',
        '<img ',
        '<svg',
        '<style>',
        '</style>',
        '<title>',
        '</title>',
        '<noscript>',
        '</noscript>',
        '<![CDATA[',
      ],
      ...[
        'href',
        'style',
        'title',
        'srcset',
        'to',
        'on',
        'onload',
        'click',
        'java',
        'script',
        'data',
        'text/html',
        'image/png',
      ],
      ...[
        'expression',
        'behavior',
        'url(',
        '-moz-binding',
        '@import',
        '&#106;',
        '&#x3a;',
        '&Tab;',
        '&colon;',
        '&lpar;',
        '\\6a',
      ],
      ...['[if mso]>', '<![endif]', 'x', 'vb', 'svg+xml', ',', '<meta http-equiv=refresh content='],
    );
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 14 }), async (parts) => {
        const html = parts.join('');
        if (isSurelyInert(html)) expect(await inspectMarkup(html)).toBeNull();
      }),
      { numRuns: 20_000 },
    );
  });
});
