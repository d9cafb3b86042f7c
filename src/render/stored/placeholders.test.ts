import { describe, expect, test } from 'vitest';
import { fillTemplate } from './fill-template.js';
import { fillPlaceholders, readPlaceholders } from './placeholders.js';

const named = ({ key, otherwise }: { key: string; otherwise: string | undefined }) => `<${key} ${otherwise}>`;
const fill = (text: string) => fillPlaceholders(readPlaceholders(text), 'html', named);

test.each([
  ['Dear {{{NAME}}}, {{{ order.no |none yet}}}!', 'Dear <NAME undefined>, <order.no none yet>!'],
  ['{{{A}}}{{{B|}}}', '<A undefined><B >'],
  ['{{NAME}}{{ NAME |none}} {{{NAME}}', '<NAME undefined><NAME none> {<NAME undefined>'],
  ['{{#if a}} {{{1}}} {{{A|{}}}} {{/if}} {{a b}} {{', '{{#if a}} {{{1}}} {{{A|{}}}} {{/if}} {{a b}} {{'],
  ['', ''],
])('%s → %s', (text, filled) => {
  expect(fill(text)).toBe(filled);
});

test('one placeholder 73,000 times → one object, so that a template of 512 KB holds little more than itself', () => {
  expect(new Set(readPlaceholders('{{{A}}}{{ A |none}}'.repeat(27_000))).size).toBe(2);
});

test.each(['{', '{{', '{{ ', '{{{A ', '{{A|', '{{A|}', '{{{A}}'])(
  '512 KB of %s → read in time that grows with it',
  (unit) => {
    const began = performance.now();
    readPlaceholders(unit.repeat(Math.floor((512 * 1024) / unit.length)));
    expect(performance.now() - began).toBeLessThan(1000);
  },
);

test('a value that looks like a placeholder → stays as it is', () => {
  expect(fillPlaceholders(readPlaceholders('{{{A}}}'), 'html', () => '{{{B}}}')).toBe('{{{B}}}');
});

describe('a value with markup', () => {
  const evil = `<img src=x onerror="a()"> & 'co' {{{B}}}`;
  const content = {
    ...{ subject: '{{A}} {{{A}}}', text: '{{A}} {{{A}}}', from: null, replyTo: null },
    html: '<p title="{{A}}">{{A}}</p>{{{A}}}{{C|<i>you</i>}}{{D}}{{{D}}}',
    variables: [{ key: 'D', type: 'string' as const, fallback: '<b>' }],
  };

  test('in two braces → text of the HTML; in three → as it is; in subject and text → as it is', () => {
    const escaped = '&lt;img src=x onerror=&quot;a()&quot;&gt; &amp; &#39;co&#39; {{{B}}}';
    expect(fillTemplate('id', content, { A: evil })).toEqual({
      id: 'id',
      subject: `${evil} ${evil}`,
      text: `${evil} ${evil}`,
      html: `<p title="${escaped}">${escaped}</p>${evil}<i>you</i>&lt;b&gt;<b>`,
    });
  });

  test('neither given nor with a fallback → refused by name, however it is written', () => {
    expect(() => fillTemplate('id', { ...content, html: '{{gone}}' }, { A: 'x' })).toThrow(
      'template.variables.gone is missing',
    );
  });
});

describe('a template that repeats a long value', () => {
  const content = { subject: null, html: '{{{A}}}'.repeat(74_000), text: null, from: null, replyTo: null };

  test('74,000 times 2,000 characters → refused at 512 KB, without 148 MB of it', () => {
    const before = process.memoryUsage().heapUsed;
    expect(() => fillTemplate('id', { ...content, variables: [] }, { A: 'x'.repeat(2000) })).toThrow(
      'html is larger than 512 KB with its values filled in',
    );
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 ** 2);
  });

  test('up to 512 KB → filled', () => {
    const filled = fillTemplate('id', { ...content, variables: [] }, { A: '1234567' });
    expect(filled.html).toBe('1234567'.repeat(74_000));
  });
});

test.each(['{{{', '{{{A', '{{{A|', '{{{ ', '{{{A|x}', '{{{A}}}', '{{', '{{A|', '{{A ', '{{A}', '{{A}}', ' '])(
  '512 KB of %s → read in linear time',
  (piece) => {
    const text = piece.repeat((512 * 1024) / piece.length);
    const begun = process.cpuUsage();
    readPlaceholders(text);
    const { user, system } = process.cpuUsage(begun);
    expect((user + system) / 1000).toBeLessThan(1000);
  },
);
