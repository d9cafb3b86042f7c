/**
 * Texts that parsers, patterns and lists stumble over. An entry says how it is made at a size, since what is harmless at a
 * hundred bytes may take minutes at the largest size a way in accepts.
 */
export interface Entry {
  name: string;
  /** About so many bytes of UTF-8, never more. */
  make(bytes: number): string;
}

/** Repeated over and over. */
const TOKENS = words(String.raw`
  < > <a <a␠ <b> <b>x </ </a> <head␠ <body␠ <body <!-- --> <! <![CDATA[
  <p> <div> <table> <td> <svg> <style> <script <img␠src= <a␠href=" <p␠style=" <x␠a=b␠
  & &# &#x &amp &amp; &lt; &notin cid:a␠ cid: url( a:b; /* @import␠ \\
  {{{A}}} {{A}} {{ }} {{{ {{# {{#if␠a}} {{#each␠a}} {{/if}} { $\u007b %{
  =?utf-8?q? =?utf-8?b?YQ==?=␠ ?= =3D = =\r\n *0*=' a@ @ a@b. @a, <a@b>, " \\" '
  ( ) () , ; : ;␠a=b a= - -- _ ␠ \t ␠\t a␠ \n \r\n a\r\n \r\n␠ ..\r\n
  . / ../ a. a A 0 9 1, 1e % %41 %% + * | ^ $ ? # &a= [ ] [[
  x: -x: javascript: data: http:// https://a.b/ www. é e\u0301 \u0301 \ufeff \u200b \u202e \u2028
  😀 👩‍👩‍👧 ß İ \u0000 \u007f \ufffd \udb40\udc41 漢 ﷺ
`);

/** Around a repetition: what a pattern looks for before and after it. */
const FRAMES: ReadonlyArray<readonly [before: string, after: string]> = [
  ['<a href="', 'x:">x</a><set>'],
  ['<a href="', '">x</a>'],
  ['<img src="', '">'],
  ['<p style="', '">x</p>'],
  ['<style>', '</style>'],
  ['<!--', '-->'],
  ['<', '>'],
  ['<svg>', '</svg>'],
  ['&', ';'],
  ['{{{', '}}}'],
  ['{{', '}}'],
  ['{{#if a}}', '{{/if}}'],
  ['"', '" <a@example.com>'],
  ['a@', '.example.com'],
  ['Ada <', '>'],
  ['=?utf-8?q?', '?='],
  ['=?utf-8?b?', '?='],
  ['rfc822; ', ''],
  ['text/plain; a="', '"'],
  ['https://', '.example.com/'],
  ['', '!'],
];

/** What stands within a frame: the few that patterns repeat. */
const FILLINGS = words(String.raw`a - ␠ \t < > " & = / : -x: a␠ \\ . %41 ( { \r\n , \u0301 😀`);

export const tokens: Entry[] = TOKENS.map((token) => ({
  name: shown(token),
  make: (bytes) => repeated(token, bytes),
}));

export const framed: Entry[] = FRAMES.flatMap(([before, after]) =>
  FILLINGS.map((filling) => ({
    name: `${shown(before)}${shown(filling)}…${shown(after)}`,
    make: (bytes: number) =>
      before + repeated(filling, bytes - Buffer.byteLength(before) - Buffer.byteLength(after)) + after,
  })),
);

/** What the language of templates has, in a template of the type `deletion_scheduled`. */
export const templateLanguage: Entry[] = [
  ...['{{name}}', '{{cancelUrl}}', '<a href="{{cancelUrl}}">x</a>', '{{brand.name}}', '{{! a note }}\n'],
  ...['{{number 5}}', '{{number 5 "percent"}}', '{{number 5 currency="EUR"}}'],
  ...['{{date deletionAt "full" timeZone=timeZone}}', '{{time deletionAt "long"}}'],
  ...[
    '{{t "password_changed.title"}}',
    '{{#if name}}<b>x</b>{{/if}}',
    '{{#if name is "x"}}x{{else}}y{{/if}}',
  ],
  ...['{{> button url=cancelUrl label="x"}}', '{{#> quote}}x{{/quote}}', '{{> title text=name}}'],
].map((token) => ({ name: shown(token), make: (bytes) => repeated(token, bytes) }));

/** Each different from the others: what is looked up, remembered or compared is so each time. */
export const distinct: Entry[] = (
  [
    ['attributes', (n) => (n === 0 ? '<a ' : ` a${n}=b`)],
    ['elements', (n) => `<e${n} class=a>`],
    ['formatting elements', (n) => `<p><b a${n}=${n}></p>`],
    ['references', (n) => `&x${n};`],
    ['comments', (n) => `<!--${n}<b>-->`],
    ['documents within', (n) => `<p srcdoc="<b ${n}=&quot;">`],
    ['rules', (n) => `${n === 0 ? '<style>' : ''}.c${n}{}`],
    ['variables', (n) => `{{{A${n}}}}`],
    ['words', (n) => `w${n} `],
    ['encoded words', (n) => `=?x${n}?q?a?= `],
    ['parameters', (n) => `; p${n}=${n}`],
    ['addresses', (n) => `a${n}@b${n}.example, `],
    [
      'characters of a host',
      (n) => (n === 0 ? 'https://' : String.fromCodePoint(0x4e00 + ((n * 7) % 20_000))),
    ],
    ['marks of a host', (n) => (n === 0 ? 'https://a' : '\u0301\u0316')],
    ['characters', (n) => String.fromCodePoint(0x4e00 + (n % 20_000))],
  ] satisfies Array<[string, (index: number) => string]>
).map(([name, make]) => ({
  name: `distinct ${name}`,
  make(bytes) {
    let text = '';
    for (let index = 0, size = 0; ; index++) {
      const piece = make(index);
      size += Buffer.byteLength(piece);
      if (size > bytes) return text;
      text += piece;
    }
  },
}));

/** Opened many times and closed as often. */
export const nested: Entry[] = [
  ['<b>', '</b>'],
  ['<div>', '</div>'],
  ['<table><tr><td>', '</td></tr></table>'],
  ['<svg><foreignObject>', '</foreignObject></svg>'],
  ['{{#if a}}', '{{/if}}'],
  ['{{#each a}}', '{{/each}}'],
  ['(', ')'],
  ['[', ']'],
  ['{"a":', '}'],
  ['<!--[if mso]>', '<![endif]-->'],
].map(([open = '', close = '']) => ({
  name: `${open}…${close}`,
  make: (bytes) => {
    const depth = Math.floor(bytes / (open.length + close.length));
    return open.repeat(depth) + close.repeat(depth);
  },
}));

/** Values that are no attack on a parser but on what comes after it. They have a size of their own. */
export const odd: Entry[] = [
  ...words(String.raw`
    ␠ \t \r\n \u0000 null undefined true NaN Infinity -1 0 1e999 0x10 1_000 １２３ 2147483648
    99999999999999999999 -9223372036854775809 1.7976931348623157e308
    +200000-01-01T00:00:00Z 200000-01-01T00:00:00Z 9999-12-31T23:59:59.999Z 0000-01-01T00:00:00Z
    -000001-01-01T00:00:00Z 2026-02-30T00:00:00Z 2026-01-01T24:00:00Z 2026-12-31T23:59:60Z
    infinity -infinity today in␠9999999␠days in␠1␠hour
    __proto__ constructor toString hasOwnProperty length \ud800 a\udc00b \ufeff \u202e ../../etc/passwd
    ';␠drop␠table␠postrider.emails;␠-- % _ \\ %s%n {{constructor}} $1 \\1 * ( [a- (a+)+$
    00000000-0000-0000-0000-000000000000 ffffffff-ffff-ffff-ffff-ffffffffffff 01a1def1-9ed6-7000-8fe3-719f10b82e28
    a@example.com "a␠b"@example.com a@[127.0.0.1] a@xn--a a@münchen.de 😀@example.com en-u-ca-gregory zz Etc/GMT+99
    http://127.0.0.1:1/ http://[::1]/ file:///etc/passwd http://a:b@c/ https://example.com:99999/ data:,x javascript:alert(1)
  `),
  ...['', '9'.repeat(400), `https://example.com/${'a'.repeat(2000)}`],
].map((value) => ({ name: `value ${shown(value)}`, make: () => value }));

/** The same as JSON of another type than the one that is wanted. */
export const oddJson: ReadonlyArray<readonly [name: string, json: string]> = [
  ...[
    'null',
    'true',
    '0',
    '-1',
    '1e999',
    '-0',
    '1e-400',
    '9007199254740993',
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '""',
  ].map((json) => [`JSON ${json}`, json] as const),
  ['JSON __proto__', '{"__proto__":{"a":1}}'],
  ['JSON toString', '{"toString":"x","valueOf":1,"length":1e9}'],
];

/** JSON at a size, in place of a value or of the whole body. */
export const structures: Entry[] = [
  { name: 'JSON deep lists', make: (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2) },
  { name: 'JSON deep lists, open', make: (bytes) => '['.repeat(bytes) },
  { name: 'JSON deep objects', make: (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}` },
  { name: 'JSON deep objects, open', make: (bytes) => '{"a":'.repeat(bytes / 5) },
  { name: 'JSON numbers', make: (bytes) => `[${'1,'.repeat(bytes / 2 - 2)}1]` },
  { name: 'JSON empty lists', make: (bytes) => `[${'[],'.repeat(bytes / 3 - 2)}1]` },
  { name: 'JSON empty objects', make: (bytes) => `[${'{},'.repeat(bytes / 3 - 2)}1]` },
  { name: 'JSON empty texts', make: (bytes) => `[${'"",'.repeat(bytes / 3 - 2)}1]` },
  { name: 'JSON one long number', make: (bytes) => '1'.repeat(bytes) },
  { name: 'JSON escapes', make: (bytes) => `"${'\\u0061'.repeat(bytes / 6 - 1)}"` },
  { name: 'JSON spaces', make: (bytes) => `${' '.repeat(bytes - 1)}1` },
  { name: 'JSON many keys', make: (bytes) => keys(bytes, (index) => `k${index}`) },
  { name: 'JSON one key many times', make: (bytes) => keys(bytes, () => 'a') },
  { name: 'JSON keys that are indices', make: (bytes) => keys(bytes, (index) => String(index * 7919)) },
];

function keys(bytes: number, name: (index: number) => string): string {
  const pairs: string[] = [];
  for (let size = 2, index = 0; ; index++) {
    const pair = `"${name(index)}":1`;
    size += pair.length + 1;
    if (size > bytes) break;
    pairs.push(pair);
  }
  return `{${pairs.join(',')}}`;
}

/** Texts with blanks between them, written as in JSON; `␠` is a blank. */
function words(text: string): string[] {
  const literal = (word: string) => word.replace(/\\.|"/g, (part) => (part === '"' ? '\\"' : part));
  return text
    .trim()
    .split(/\s+/)
    .map((word) => (JSON.parse(`"${literal(word)}"`) as string).replaceAll('␠', ' '));
}

function repeated(token: string, bytes: number): string {
  return token.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(token))));
}

/** As one would type it, and no longer than a line. */
function shown(text: string): string {
  const escaped = JSON.stringify(text)
    .slice(1, -1)
    .replace(/\\"/g, '"')
    .replace(/[^\x21-\x7e]/gu, (char) => (char === ' ' ? '␠' : `\\u{${char.codePointAt(0)!.toString(16)}}`));
  return escaped.length > 40 ? `${escaped.slice(0, 37)}…` : escaped;
}
