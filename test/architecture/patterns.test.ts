import { describe, expect, it } from 'vitest';
import { patternsOf } from './patterns-of.js';
import { slowness } from './slow-patterns.js';
import { isTest, readSources } from './source-file.js';

/**
 * No regular expression may need more than linear time on text from outside. Those that stay say why none of theirs is
 * long, or theirs.
 */
const ALLOWED: Record<string, string> = {
  'render/overrides/own-content.ts: \\{\\{#subject\\}\\}([\\s\\S]*?)\\{\\{\\/subject\\}\\}\\s*':
    'reads the templates of this package',
};

/** Made of texts, so each was judged as what it becomes. */
const MADE: Record<string, string> = {
  'access/key-lookup.ts': 'an anchored prefix and 43 characters',
  'doors/dashboard/dashboard-routes.ts': 'br or gzip between word boundaries',
  'doors/http/resend/scheduled-at.ts': 'anchored, of words and digits, without a repetition',
  'kernel/attachment-rules.ts': 'anchored; looks at 255 characters at most, which it says itself',
  'kernel/instant.ts': 'two anchored forms of a date',
  'kernel/reserved-headers.ts': 'anchored names of headers; one repetition each',
  'outbox/without-person.ts': 'the addresses of one person, escaped, without a repetition',
  'policy/inspect-tag.ts': 'anchored, or begins with a word that cannot stand in what it repeats',
  'render/scan-html.ts': 'the name of a raw text element behind </',
  'store/callers/from-prisma.ts': 'a number behind $',
};

const files = [
  ...readSources().filter((file) => !isTest(file)),
  ...readSources('dashboard', /(?<!\.test)\.tsx?$/).map((file) => ({
    ...file,
    path: `dashboard/${file.path}`,
  })),
];
const patterns = files.flatMap(patternsOf);

describe('regular expressions', () => {
  it('every one that is written out → linear, or listed with why it may not be', () => {
    const slow = new Map<string, string>();
    for (const pattern of patterns) {
      if (pattern.kind !== 'literal') continue;
      const why = slowness(pattern);
      if (why !== null) slow.set(`${pattern.path}: ${pattern.source}`, why);
    }
    expect([...slow].filter(([name]) => !(name in ALLOWED))).toEqual([]);
    expect(Object.keys(ALLOWED).filter((name) => !slow.has(name))).toEqual([]);
  });

  it('every one that is made of a text → listed with what it becomes', () => {
    const made = new Set(patterns.flatMap((pattern) => (pattern.kind === 'made' ? [pattern.path] : [])));
    expect([...made].sort()).toEqual(Object.keys(MADE).sort());
  });
});

describe('what is slow', () => {
  it.each([
    /\s+$/,
    /x+$/,
    /\/+$/,
    /\s*x/,
    /<head(?:\s[^>]*)?>/i,
    /<body[^>]*>/i,
    /^[^a-z0-9/?#.]*(?:[a-z-]+:){0,4}[a-z]*script:/i,
    /^(a+)+$/,
    /^(?:a|a)*$/,
    /^(?:a*)*b/,
    /^(?:a*b*)*c/,
    /^(?:a?b?)*c/,
    /^a*b?a*c/,
    /^\s*(.*)$/,
    /[^\s;<>]+@[^\s;<>]+/,
    /(?=a+b)c/,
    /[ \t]+$/gm,
    /a{2,}$/,
    /^.*x.{101,}y/,
  ])('%s → said so', (pattern) => {
    expect(slowness(pattern)).not.toBeNull();
  });

  it.each([
    /^\s+|x/,
    /\s+/g,
    /^x+$/,
    /^\s*x/,
    /a[^a]*b/,
    /<[a-z][^<>]*>/i,
    /"[^"]*"x/,
    /^[ \t]+$/gm,
    /^(?:a+b)*$/,
    /^[a-z]+(?:\.[a-z]+)*$/,
    /cid:([^"'\s)>]+)/gi,
    /&(?:#(\d{1,7}|x[\da-f]{1,6})|([a-z][a-z\d]{1,31}));/gi,
    /[a-z-]+:/iy,
    /^(?=.{1,253}$)[a-z]+$/,
    /(?<![\w-])behavior\s*:\s*url/,
    /\bpage\b/u,
    /\p{Cf}/u,
    /x{0,99}y/,
    /^$/m,
  ])('%s → allowed', (pattern) => {
    expect(slowness(pattern)).toBeNull();
  });

  it('a pattern in a template, in JSX or behind a division → found', () => {
    const text =
      'const a = <p title={`$' + '{b / 2} $' + '{/x+$/.test(c)}`}>{d / e}</p>; new RegExp(`^`, "i");';
    expect(patternsOf({ path: 'x.tsx', text })).toEqual([
      { kind: 'literal', path: 'x.tsx', source: 'x+$', flags: '' },
      { kind: 'made', path: 'x.tsx', text: '`^`' },
    ]);
  });
});
