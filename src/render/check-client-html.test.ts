import { describe, expect, it } from 'vitest';
import { catalogue } from './catalogue/catalogue.js';
import { checkClientHtml } from './check-client-html.js';
import { createRenderer } from './create-renderer.js';
import type { EmailType } from './define-email.js';
import { sampleVariants } from './sample-variants.js';
import { createTemplateFiles } from './template-files.js';

const files = createTemplateFiles();
const renderer = createRenderer({ files, appUrl: null });
const types: readonly EmailType[] = catalogue;
const render = (type: EmailType, lang: string, data: unknown = type.sample) =>
  renderer.render({ type, lang, data: renderer.checkData(type, data) });

describe.each(files.languages())('in %s', (lang) => {
  it.each(types.map((type) => [type.type, type] as const))('%s → made for mail programs', (_, type) => {
    const variants = [...sampleVariants(type)];
    expect(variants.length).toBeGreaterThan(0);
    expect(variants.flatMap((data) => checkClientHtml(render(type, lang, data)))).toEqual([]);
  });
});

const good = render(types[0]!, 'en');
const inside = (markup: string) => good.html.replace('</h1>', `</h1>${markup}`);

it.each([
  ['<script>x</script>', '<script> is removed'],
  ['<form action="https://x.example"></form>', '<form> is removed'],
  ['<video></video>', '<video> is removed'],
  ['<link rel="stylesheet" href="https://x.example/a.css">', '<link> is removed'],
  ['<p style="display:flex">x</p>', 'flex does not'],
  ['<p style="display: inline-grid">x</p>', 'grid does not'],
  ['<p style="color:red;position:absolute">x</p>', 'position is removed'],
  ['<p style="float:left">x</p>', 'float is ignored'],
  ['<p style="background:url(https://x.example/a.png)">x</p>', 'loads something from outside'],
  ['<p style="width:700px">x</p>', 'wider than 600 px'],
  ['<p style="max-width:640px">x</p>', 'wider than 600 px'],
  ['<p style="color:var(--x)">x</p>', 'CSS variables'],
  ['<img src="cid:a" width="10">', 'an image has no alt'],
  ['<img src="cid:a" alt="">', 'an image has no width'],
  ['<img src="https://x.example/a.png" alt="" width="10">', 'loads something from outside'],
  ['<table><tr><td>x</td></tr></table>', 'role="presentation"'],
  ['<a href="#top">x</a>', 'a link leads nowhere'],
  ['<a href="/path">x</a>', 'a link leads nowhere'],
  ['<a href="https://x.example"> </a>', 'a link has no text'],
  ['<p class="x">x</p>', 'has a class and no style'],
  ['<h1>again</h1>', 'more than one <h1>'],
  ['<style>p{color:red}</style>', 'rules outside of @media'],
  ['<style>@import "x.css";</style>', 'from outside are not loaded'],
  [`<p>${'x'.repeat(102 * 1024)}</p>`, 'Gmail cuts it off'],
])('%.60s → told', (markup, problem) => {
  const found = checkClientHtml({ ...good, html: inside(markup) });
  expect(found.join('\n')).toContain(problem);
});

it.each([
  ['lang', / lang="en"/, '<html> has no lang'],
  ['direction', / dir="ltr"/, '<html> has no dir'],
  ['colour scheme', /<meta name="color-scheme"[^>]*>/, '<meta> for color-scheme'],
  ['dark mode', /prefers-color-scheme/, 'no style for dark mode'],
  ['viewport', /<meta name="viewport"[^>]*>/, '<meta> for viewport'],
  ['title', /<title>.*<\/title>/, 'no <title>'],
  ['preheader', /<div style="display:none[^>]*>/, 'no preheader'],
])('%s missing → told', (_, part, problem) => {
  const found = checkClientHtml({ ...good, html: good.html.replace(part, '') });
  expect(found.join('\n')).toContain(problem);
});

it('no plain text, no subject, or a fragment → told', () => {
  expect(checkClientHtml({ ...good, text: ' ' })).toEqual(['there is no plain text']);
  expect(checkClientHtml({ ...good, subject: '' })).toEqual(['the subject is empty']);
  expect(checkClientHtml({ ...good, html: '<p>Hello</p>' }).join('\n')).toContain('not a whole document');
});

it.each(['<style>', '<style>@media{', 'margin:', '<a b=', '<p style="margin:', '<table '])(
  '256 KB of %s → answered at once',
  (part) => {
    const started = performance.now();
    checkClientHtml({ subject: 'x', text: 'x', html: part.repeat((256 * 1024) / part.length) });
    checkClientHtml({
      subject: 'x',
      text: 'x',
      html: `<style>${part.repeat((256 * 1024) / part.length)}</style>`,
    });
    expect(performance.now() - started).toBeLessThan(2000);
  },
);
