import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../kernel/longest-turn.fixture.js';
import { renderSource } from './render-source.fixture.js';

describe('values', () => {
  it('text, numbers and paths → written', () => {
    expect(renderSource('{{a}} {{b.c}} {{n}}', { a: 'x', b: { c: 'y' }, n: 3 })).toBe('x y 3');
  });

  it.each([
    ['missing', '{{a}}', {}, 'data.a is missing'],
    ['missing inside', '{{a.b.c}}', { a: { b: {} } }, 'data.a.b.c is missing'],
    ['null', '{{a}}', { a: null }, 'data.a is missing'],
    ['an object', '{{a}}', { a: {} }, 'data.a is not a text or a number'],
    ['inherited', '{{toString}}', {}, 'data.toString is missing'],
    ['inherited by text', '{{a.length}}', { a: 'abc' }, 'data.a.length is missing'],
    ['in a list', '{{#each xs}}{{this.y}}{{/each}}', { xs: [{ y: 1 }, {}] }, 'data.xs[1].y is missing'],
    ['no list', '{{#each xs}}{{/each}}', { xs: 'abc' }, 'data.xs is not a list'],
    ['not a date', '{{date a}}', { a: 'soon' }, 'data.a is not a date'],
    ['not a zone', '{{date a timeZone=z}}', { a: 0, z: 'Mars' }, 'data.a cannot be shown in this time zone'],
    ['not a number', '{{number a}}', { a: '7' }, 'data.a is not a number'],
  ])('%s → refused by the name of the field', (_, source, data, message) => {
    expect(() => renderSource(source, data)).toThrow(message);
  });

  it('a constructor or prototype as a path → refused when compiled', () => {
    for (const path of ['constructor', 'a.__proto__', 'a.constructor.constructor', 'prototype'])
      expect(() => renderSource(`{{${path}}}`)).toThrow('is not a variable');
  });
});

describe('blocks', () => {
  it('if and else → by what is there', () => {
    const source = '{{#if a}}yes{{else}}no{{/if}}';
    for (const a of [true, 'x', 1, [1], {}]) expect(renderSource(source, { a })).toBe('yes');
    for (const a of [false, '', 0, [], null, undefined]) expect(renderSource(source, { a })).toBe('no');
    expect(renderSource(source, {})).toBe('no');
  });

  it('if is → compares', () => {
    const source = '{{#if a is "x"}}yes{{else}}no{{/if}}';
    expect(renderSource(source, { a: 'x' }) + renderSource(source, { a: 'y' })).toBe('yesno');
  });

  it('lists inside lists, with and without names → each its own item', () => {
    const source =
      '{{#each rows as row}}[{{#each row.cells}}{{row.name}}{{this}}{{/each}}]{{else}}none{{/each}}';
    const rows = [
      { name: 'a', cells: [1, 2] },
      { name: 'b', cells: [] },
    ];
    expect(renderSource(source, { rows })).toBe('[a1a2][]');
    expect(renderSource(source, { rows: [] })).toBe('none');
  });

  it('a list around the place for content → content with lists of its own keeps both', () => {
    const kit = { twice: '{{#each of as n}}{{> content}}{{n}};{{/each}}' };
    const source = '{{#> twice of=ns}}{{#each xs}}{{this}}{{/each}}{{/twice}}';
    expect(renderSource(source, { ns: [1, 2], xs: ['a', 'b'] }, { kit })).toBe('ab1;ab2;');
  });

  it('a block on lines of its own → leaves no empty lines', () => {
    const source = 'a\n{{#if x}}\nb\n{{/if}}\n{{! note }}\nc\n';
    expect(renderSource(source, { x: true }, { mode: 'plain' })).toBe('a\nb\nc\n');
    expect(renderSource(source, {}, { mode: 'plain' })).toBe('a\nc\n');
  });

  it('more turns than an email may cost → refused quickly', () => {
    const xs = Array.from({ length: 1000 }, () => 'x');
    const source = '{{#each xs}}{{#each xs}}{{#if this is "y"}}{{this}}{{/if}}{{/each}}{{/each}}';
    expect(() => renderSource(source, { xs })).toThrow('data.xs makes the email too long');
    const long = { xs: Array.from({ length: 100 }, () => 'x'.repeat(200_000)) };
    expect(() => renderSource('{{#each xs}}{{this}}{{/each}}', long)).toThrow('makes the email too long');
  });
});

describe('texts, dates and numbers', () => {
  const at = '2030-05-14T16:00:00Z';

  it('plural, select and arguments → by the rules of the language', () => {
    const texts = {
      k: '{n, plural, =0 {none} one {# day} other {# days}} for {who, select, she {her} other {them}}',
    };
    const say = (n: number, who: string) => renderSource('{{t "k" n=n who=who}}', { n, who }, { texts });
    expect([say(0, 'she'), say(1, 'x'), say(1200, 'x')]).toEqual([
      'none for her',
      '1 day for them',
      '1,200 days for them',
    ]);
    const polish = { k: '{n, plural, one {# dzień} few {# dni} many {# dni!} other {# dnia}}' };
    expect(renderSource('{{t "k" n=n}}', { n: 5 }, { texts: polish, locale: 'pl' })).toBe('5 dni!');
  });

  it('dates and times → in the language and the zone asked for', () => {
    const texts = { k: '{at, date, long} {at, time, short}' };
    const data = { at, zone: 'Europe/Berlin' };
    const source = '{{t "k" at=at timeZone=zone}}';
    expect(renderSource(source, data, { texts, locale: 'de' })).toBe('14. Mai 2030 18:00');
    expect(renderSource('{{date at "full" timeZone=zone}}', data, { locale: 'ko' })).toBe(
      '2030년 5월 14일 화요일',
    );
    expect(renderSource('{{time at}}', data, { locale: 'de' })).toBe('16:00');
  });

  it('a day without a time → the same day in every zone', () => {
    expect(renderSource('{{date d "long" timeZone="America/Los_Angeles"}}', { d: '2030-01-01' })).toBe(
      'January 1, 2030',
    );
  });

  it('numbers → as the language writes them', () => {
    const data = { n: 1234.5 };
    expect(renderSource('{{number n}} {{number n currency="EUR"}}', data, { locale: 'de' })).toBe(
      '1.234,5 1.234,50\u00a0€',
    );
  });

  it('markup in a text or an argument → is text', () => {
    const html = renderSource('{{t "k" x=x}}', { x: '<i>' }, { texts: { k: '<b>{x}</b> & more' } });
    expect(html).toBe('&lt;b&gt;&lt;i&gt;&lt;/b&gt; &amp; more');
  });

  it.each([
    ['an unknown key', '{{t "nothing"}}', 'line 1: there is no text "nothing"'],
    ['a value the text needs', '{{t "k"}}', 'line 1: the text needs n, which is not given'],
    ['a key from data', '{{t key}}', 't needs the key of a text in quotes'],
  ])('%s → refused when compiled', (_, source, message) => {
    expect(() => renderSource(source, {}, { texts: { k: '{n}' } })).toThrow(message);
  });
});

describe('pieces of the kit', () => {
  const kit = {
    button: '<a href="{{url}}">{{label}}</a>{{#if note}}{{note}}{{/if}}',
    panel: '<div>{{> content}}</div>',
    loop: '{{> loop}}',
  };

  it('a piece → sees what it is given and nothing else', () => {
    const source = '{{> button url=link label=(t "go" name=name)}}';
    const html = renderSource(
      source,
      { link: '/x', name: 'A', note: 'hidden' },
      { kit, texts: { go: 'Go, {name}' } },
    );
    expect(html).toBe('<a href="/x">Go, A</a>');
    expect(() => renderSource('{{> button url=link}}', { link: '/x', label: 'l' }, { kit })).toThrow(
      'label is missing',
    );
  });

  it('a piece around something → what it holds keeps the names of where it was written', () => {
    expect(renderSource('{{#> panel}}{{a}}{{/panel}}', { a: 'x' }, { kit })).toBe('<div>x</div>');
  });

  it('a piece that holds itself, or is unknown → refused', () => {
    expect(() => renderSource('{{> loop}}', {}, { kit })).toThrow('nested more than 8 deep');
    expect(() => renderSource('{{> nothing}}', {}, { kit })).toThrow('there is no piece "nothing"');
  });
});

describe('what is written wrongly', () => {
  it.each([
    ['a\n{{{x}}}', 'test line 2: {{{…}}} is not possible'],
    ['{{#if x}}\n\n', 'test line 1: {{#if}} is never closed'],
    ['\n{{#if x}}{{/each}}', 'test line 2: {{/each}} where {{/if}} is expected'],
    ['{{/if}}', '{{/if}} closes nothing'],
    ['{{else}}', '{{else}} belongs once'],
    ['{{#if x}}{{else}}{{else}}{{/if}}', '{{else}} belongs once'],
    ['{{#with x}}{{/with}}', 'there is no block {{#with}}'],
    ['{{x', '{{ is never closed'],
    ['{{}}', '{{}} is empty'],
    ['{{a b}}', '"a" is not a function'],
    ['{{eval "1"}}', '"eval" is not a function'],
    ['{{a[0]}}', 'is not understood'],
    ['{{a()}}', '"a" is not a function'],
    ['{{t "k" brand="x"}}', '"brand" is a reserved name'],
    ['{{this}}', '"this" is the item of a list'],
    ['{{brand.nothing}}', 'there is no brand.nothing'],
    ['{{#each "x"}}{{/each}}', 'each needs a variable'],
    ['{{date d "soon"}}', 'the format is one of "short"'],
    ['{{#if x}}'.repeat(13), 'nested more than 12 deep'],
    ['x'.repeat(300_000), 'is longer than 256 KB'],
    ['{{! {{x}} }}', '{{ inside of {{ }}'],
  ])('%j → refused with the line', (source, message) => {
    expect(() => renderSource(source, { x: 1 })).toThrow(message);
  });

  it('a name that is no field of the type → refused when compiled, in a condition too', () => {
    for (const source of ['{{nmae}}', '{{#if nmae}}{{/if}}'])
      expect(() => renderSource(source, {}, { fields: ['name'] })).toThrow(
        '"nmae" is not a field of this type',
      );
  });

  it('a quarter of a megabyte of open tags → refused within a second', () => {
    const start = performance.now();
    for (const part of ['{{#\n', '{{!\n', '{{', '{{#if x}}', '<a href="', '<!--', '{{x}}'])
      try {
        renderSource(part.repeat(250_000 / part.length), { x: 'y' });
      } catch {
        // Any refusal will do.
      }
    expect(performance.now() - start).toBeLessThan(3000);
  });

  it('a value that stands there thousands of times, outside of lists → ends at the limit of an email, named', () => {
    const many = '{{a}}'.repeat(2000);
    expect(renderSource(many, { a: 'x'.repeat(1000) })).toHaveLength(2_000_000);
    const before = process.memoryUsage().rss;
    for (const mode of ['html', 'plain'] as const)
      expect(() => renderSource(many, { a: '<'.repeat(500_000) }, { mode })).toThrow(
        'data.a makes the email too long',
      );
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
  });

  it('what stands in lists → counted once, however deep', () => {
    const source = '{{#each xs as x}}{{#each x as y}}{{y}}{{/each}}{{/each}}';
    const xs = [['x'.repeat(900_000), 'x'.repeat(900_000)]];
    expect(renderSource(source, { xs })).toHaveLength(1_800_000);
    expect(() => renderSource(source, { xs: [...xs, ...xs] })).toThrow('makes the email too long');
  });

  it('ten thousand turns of a thousand blocks that write nothing → refused within a second', () => {
    const source = `{{#each xs as x}}${'{{#if x.y}}{{/if}}'.repeat(1000)}{{/each}}`;
    const start = cpuMs();
    expect(() => renderSource(source, { xs: Array(10_000).fill({}) })).toThrow('makes the email too long');
    expect(cpuMs() - start).toBeLessThan(1000);
  });

  it('2001 parts → refused with the limit', () => {
    expect(() => renderSource('{{a}}'.repeat(2001), { a: '' })).toThrow('has more than 2000 parts');
  });

  it.each([
    ['NumberFormat', 'numbers', '{{number 5}}'],
    ['NumberFormat', 'currencies', '{{number 5 currency="EUR"}}'],
    ['PluralRules', 'choices of a message', '{{t "k" n=n}}'],
  ] as const)('%s: hundreds of %s → one formatter for all of them', (name, _what, source) => {
    const Real = Intl[name] as new (...given: unknown[]) => object;
    let made = 0;
    const Counted = class extends Real {
      constructor(...given: unknown[]) {
        super(...given);
        made += 1;
      }
    };
    Object.defineProperty(Intl, name, { value: Counted, configurable: true, writable: true });
    try {
      const texts = { k: '{n, plural, one {# day} other {# days}}' };
      renderSource(source.repeat(300), { n: 3 }, { texts, locale: 'en-NZ' });
    } finally {
      Object.defineProperty(Intl, name, { value: Real, configurable: true, writable: true });
    }
    expect(made).toBeLessThanOrEqual(1);
  });

  it('a currency that does not exist → refused by name', () => {
    expect(() => renderSource('{{number 5 currency="XQQ"}}')).toThrow('there is no currency "XQQ"');
  });

  it('a date in more time zones and formats than anybody shows → refused', () => {
    const zones = Intl.supportedValuesOf('timeZone').slice(0, 101);
    const source = zones
      .map((zone) => `{{date a "full" timeZone="${zone}"}} {{time a "long" timeZone="${zone}"}}`)
      .join('');
    expect(() => renderSource(source, { a: 0 })).toThrow(
      'data.a is shown in more than 200 time zones and formats',
    );
  });
});
