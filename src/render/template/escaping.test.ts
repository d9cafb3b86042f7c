import fc from 'fast-check';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import { isAllowedUrl } from './escape-value.js';
import { renderSource } from './render-source.fixture.js';

type Tree = DefaultTreeAdapterTypes.Node;

/** What a browser's parser makes of it: every element with its attributes, and every text. */
function read(html: string): { shape: string[]; values: Map<string, string>; text: string } {
  const shape: string[] = [];
  const values = new Map<string, string>();
  let text = '';
  const visit = (node: Tree) => {
    if ('value' in node) text += node.value;
    if (node.nodeName === '#comment') shape.push('comment');
    if ('attrs' in node) {
      shape.push(`${node.tagName}(${node.attrs.map(({ name }) => name).join(',')})`);
      for (const { name, value } of node.attrs) values.set(`${node.tagName}.${name}`, value);
    }
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(html));
  return { shape, values, text };
}

const TEMPLATE = `<!DOCTYPE html><html><head><title>{{x}}</title><style>p{color:{{brand.color}}}</style></head><body>
<!-- a note --><p title="{{x}}" class='a {{x}} b' data-x="{{#if x}}{{x}}{{/if}}">{{x}}&amp;{{x}}</p>
{{#each xs}}<td align="left">{{this}}</td>{{/each}}<a href="https://example.com/?a={{x}}&amp;b={{x}}#{{x}}">{{x}}</a>
<a href="mailto:{{x}}">m</a></body></html>`;

/** Text made of what breaks out of places, among ordinary characters. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        "'",
        '<',
        '>',
        '&',
        '/',
        '`',
        '=',
        '\n',
        ' ',
        '-->',
        '<!--',
        ']]>',
        '</title>',
        '</style>',
      ),
      fc.constantFrom(
        '<script>alert(1)</script>',
        '" onclick="x',
        "' style='x",
        '&quot;',
        '&#34;',
        '&lt',
        'javascript:',
      ),
      fc.constantFrom(
        '{{x}}',
        '{{{x}}}',
        '\u00a0',
        '\u2028',
        '\\',
        '%22',
        '<svg onload=x>',
        '${',
        '$&',
        "$'",
      ),
      fc
        .string({ unit: 'binary', maxLength: 8 })
        .filter((text) => !/[\u0000\r]/.test(text) && isWellFormed(text)),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''));

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

describe('escaping', () => {
  const harmless = read(renderSource(TEMPLATE, { x: 'a', xs: ['b'] }));

  it('any value anywhere → the same elements and attributes, and the value itself in each', () => {
    fc.assert(
      fc.property(hostile, (x) => {
        const found = read(renderSource(TEMPLATE, { x, xs: [x] }));
        expect(found.shape).toEqual(harmless.shape);
        expect(found.values.get('p.title')).toBe(x);
        expect(found.values.get('p.class')).toBe(`a ${x} b`);
        expect(found.values.get('p.data-x')).toBe(x);
        expect(found.text).toContain(`${x}&${x}`);
        expect(new URL(found.values.get('a.href')!).protocol).toBe('mailto:');
      }),
      { numRuns: 500 },
    );
  });

  it('any value as a whole link → refused, or a link that cannot run', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.webUrl()), (x) => {
        let html: string;
        try {
          html = renderSource('<a href="{{x}}">x</a>', { x });
        } catch (error) {
          expect((error as { field?: string }).field).toBe('data.x');
          return;
        }
        const href = read(html).values.get('a.href')!;
        expect(href).toBe(x);
        const { protocol, host } = new URL(href, 'https://base.example/');
        expect(['https:', 'http:', 'mailto:', 'tel:', 'cid:']).toContain(protocol);
        if (!/^https?:/i.test(x) && protocol === 'https:') expect(host).toBe('base.example');
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ...[
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      ' javascript:x',
      'java\tscript:x',
      '\u0001javascript:x',
      'data:text/html,x',
    ],
    ...[
      'vbscript:x',
      'file:///etc',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil',
      'https:',
      'http:/x',
      'x:y',
      '',
      ':x',
    ],
    ...['feed:javascript:x', 'blob:x', 'https://\nx'],
  ])('%j as a link → refused', (url) => {
    expect(isAllowedUrl(url)).toBe(false);
  });

  it.each([
    ...[
      'https://example.com',
      'HTTP://example.com/?a=b&c#d',
      'mailto:a@example.com',
      'tel:+4712345678',
      'cid:logo',
    ],
    ...['/path', '?q=1', '#top', 'page', 'page/a:b', './x', '../x'],
  ])('%j as a link → allowed', (url) => {
    expect(isAllowedUrl(url)).toBe(true);
  });

  it.each([
    ['<{{x}}>', 'right after < or </'],
    ['</{{x}}>', 'right after < or </'],
    ['<a{{x}}>', 'must stand in a quoted attribute'],
    ['<a {{x}}>', 'must stand in a quoted attribute'],
    ['<a {{x}}="y">', 'must stand in a quoted attribute'],
    ['<a href={{x}}>', 'the value of href needs quotes'],
    ['<a title=a{{x}}>', 'the value of title needs quotes'],
    ['<p style="color:{{x}}">', 'cannot stand in a style'],
    ['<style>{{x}}</style>', 'cannot stand in a style'],
    ['<p style="{{brand.odd}}">', 'cannot stand in a style'],
    ['<a onclick="{{x}}">', 'cannot stand in the attribute onclick'],
    ['<img srcset="{{x}}">', 'cannot stand in the attribute srcset'],
    ['<iframe srcdoc="{{x}}">', 'cannot stand in the attribute srcdoc'],
    ['<meta content="{{x}}">', 'cannot stand in <meta>'],
    ['<!-- {{x}} -->', 'inside a comment'],
    ['<!{{x}}>', 'inside a comment'],
    ['<a href="java{{x}}">', 'must begin with'],
    ['<a href="{{x}}{{x}}">', 'must begin with'],
    ['<a href="{{x}}:alert(1)">', 'can only go on with'],
    ['<script>{{x}}</script>', '<script> is not for email'],
    ['<svg><title><a href="{{x}}">', '<svg> is not for email'],
    ['<textarea>{{x}}</textarea>', '<textarea> is not for email'],
    ['{{#if x}}<a href="{{else}}<b>{{/if}}', 'the block begins in text and ends in the value of href'],
    ['<p {{#if x}}title="{{/if}}">', 'the block begins in'],
    ['<a hr{{#if x}}x{{/if}}ef="y">', 'the block begins in'],
    ['<p title="', 'ends inside the value of title'],
  ])('%s → refused when compiled', (source, message) => {
    expect(() => renderSource(`\n${source}`, { x: 'y' })).toThrow(message);
  });

  it('a slot that no place allows → the line is named', () => {
    expect(() => renderSource('a\nb\n<p>\n<a href={{x}}>', { x: 'y' })).toThrow('test line 4:');
    expect(() => renderSource('a\n<p>\n<script>\n', {})).toThrow('test line 3:');
  });

  it('a subject with a line break → refused by the name of the field', () => {
    expect(() => renderSource('Hi {{x}}', { x: 'a\r\nBcc: b@example.com' }, { mode: 'subject' })).toThrow(
      'data.x contains a control character',
    );
    expect(renderSource('Hi {{x}}', { x: '<&>' }, { mode: 'subject' })).toBe('Hi <&>');
  });

  it('what is known beforehand → written into styles, and escaped in text', () => {
    expect(renderSource('<p style="color:{{brand.color}}">{{brand.name}}</p>')).toBe(
      '<p style="color:#2c6e63">Hub &amp; Co</p>',
    );
  });
});
