import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuMs } from '../kernel/longest-turn.fixture.js';
import { deriveText } from './derive-text.js';

describe('deriveText', () => {
  test.each([
    ['paragraphs', '<p>One</p><p>Two<br>Three</p>', 'One\n\nTwo\nThree'],
    ['collapsed white space', '<p>  a \n\t b  <b> c</b>d </p>', 'a b cd'],
    ['references', '<p>a &amp; b &lt;c&gt; &eacute;&#8364;</p>', 'a & b <c> é€'],
    [
      'a link',
      '<p>See <a href="https://x.example/a?b=1&amp;c=2">here</a>.</p>',
      'See here (https://x.example/a?b=1&c=2).',
    ],
    [
      'a link that shows its address',
      '<a href="https://x.example">https://x.example</a>',
      'https://x.example',
    ],
    ['a mail link that shows its address', '<a href="mailto:a@b.example">a@b.example</a>', 'a@b.example'],
    ['a link without text', '<a href="https://x.example"><img src="a.png" alt="Logo"></a>', ''],
    ['a link inside the page', '<a href="#top">Up</a>', 'Up'],
    ['a link never closed', '<a href="https://x.example">x', 'x (https://x.example)'],
    ['a picture', '<p>a<img src="cid:1" alt="x">b</p>', 'ab'],
    ['lists', '<ul><li>a</li><li>b</li></ul><ol><li>c<li>d</ol>', '* a\n* b\n\n1. c\n2. d'],
    ['table rows', '<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a b\nc'],
    ['a heading', '<h1>Title</h1>text', 'Title\n\ntext'],
    ['a rule', 'a<hr>b', `a\n\n${'-'.repeat(40)}\n\nb`],
    ['preformatted text', '<pre>  a\n    b</pre>c', '  a\n    b\n\nc'],
    ['head, style and title', '<head><title>t</title><style>p > a {}</style></head><body>x', 'x'],
    ['a conditional comment', '<!--[if mso]><p>no</p><![endif]-->yes', 'yes'],
    ['an unclosed comment', 'a<!-- b', 'a'],
    ['a bracket that is no tag', 'a < b <3 c', 'a < b <3 c'],
    ['quotes and brackets in attributes', `<p title="a > b" x='>'>c</p><p title=it's>d</p>`, 'c\n\nd'],
    [
      'odd references',
      '&#146;&#x1F600;&#7;&#27;&#0;&nosuch;&amp;lt; &#xD800;',
      '’😀\ufffd&nosuch;&lt; \ufffd',
    ],
    ['a link in a broken attribute', '<a href="https://x.example/&#10;y">z</a>', 'z (https://x.example/y)'],
    ['a sentence in a numbered list', '<ol><li>a<ul><li>b</ul><li>c</ol>', '1. a\n\n* b\n\n2. c'],
    ['nothing', '', ''],
  ])('%s → readable text', (_, html, text) => {
    expect(deriveText(html)).toBe(text);
  });

  test('long lines → wrapped between words, a long link stays whole', () => {
    const link = `https://x.example/${'a'.repeat(100)}`;
    const lines = deriveText(`<p>${'word '.repeat(40)} ${link}</p>`).split('\n');
    expect(lines).toContain(link);
    for (const line of lines) if (line !== link) expect(line.length).toBeLessThanOrEqual(78);
  });

  const fill = (piece: string) => piece.repeat(Math.floor((512 * 1024) / piece.length));
  test.each([
    '<div>',
    '<i>',
    '<i></b>',
    '<ul><li>',
    '<table><td>a',
    '<a href=http:x>q',
    '<',
    '<!--',
    'a ',
    '&amp;',
    '<pre>\n',
    '<title>',
    '<a "',
    '<a b="',
    "<p x='>",
    '</p',
    '<style>x',
    '<a href=',
    '&#x',
    '<!-->',
    '&nosuch;',
    '<b>&nosuch;</b>',
    '&#0;',
    '&#150;',
    '<hr>',
  ])('512 KB of %j → done in linear time', (piece) => {
    const begun = cpuMs();
    deriveText(fill(piece));
    // Up to 60 ms where nothing else runs; what is not linear takes minutes.
    expect(cpuMs() - begun).toBeLessThan(600);
  });

  test('512 KB of references with a name each, known to nobody → left as they are, in linear time', () => {
    let html = '';
    for (let n = 0; html.length < 512 * 1024; n++) html += `<b>&x${n};</b> `;
    const begun = cpuMs();
    const text = deriveText(`${html}&amp;`);
    expect(cpuMs() - begun).toBeLessThan(600);
    expect(text).toContain('&x7; &x8;');
  });

  test('any text between tags → its words come through in order', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (words) => {
        const html = words.map((word, index) => `<${['p', 'td', 'b', 'li'][index % 4]}> ${word} `).join('');
        expect(deriveText(html).match(/[a-z]+/g)).toEqual(words);
      }),
    );
  });
});
