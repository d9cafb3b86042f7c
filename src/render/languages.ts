/**
 * Which language an email is written in when one is asked for: pt-BR is answered in pt-BR, else pt, else English.
 * Dates and numbers follow the region asked for where the language is the same.
 */
export const FALLBACK_LANGUAGE = 'en';

export function fallbackChain(tag: string): string[] {
  const chain: string[] = [];
  const parts = tag.split('-');
  for (let length = parts.length; length > 0; length--) chain.push(parts.slice(0, length).join('-'));
  if (!chain.some((candidate) => sameTag(candidate, FALLBACK_LANGUAGE))) chain.push(FALLBACK_LANGUAGE);
  return chain;
}

export interface ResolvedLanguage {
  /** The language whose texts are used; one of those available. */
  language: string;
  /** For Intl: the language with the region asked for. */
  locale: string;
}

export function resolveLanguage(tag: string | null, available: readonly string[]): ResolvedLanguage {
  for (const candidate of fallbackChain(tag ?? FALLBACK_LANGUAGE)) {
    const language = available.find((known) => sameTag(known, candidate));
    if (language !== undefined) return { language, locale: localeOf(language, tag) };
  }
  const first = available[0] ?? FALLBACK_LANGUAGE;
  return { language: first, locale: first };
}

/** By language, or by script where the tag names one. */
export function directionOf(tag: string): 'ltr' | 'rtl' {
  const [language = '', ...rest] = tag.toLowerCase().split('-');
  const script = rest.find((part) => /^[a-z]{4}$/.test(part));
  if (script !== undefined) return RTL_SCRIPTS.has(script) ? 'rtl' : 'ltr';
  return RTL_LANGUAGES.has(language) ? 'rtl' : 'ltr';
}

const RTL_LANGUAGES = new Set([
  ...['ar', 'arc', 'ckb', 'dv', 'fa', 'he', 'iw', 'ks', 'nqo', 'ps', 'sd', 'syr', 'ug', 'ur', 'yi'],
]);
const RTL_SCRIPTS = new Set(['adlm', 'arab', 'hebr', 'mand', 'nkoo', 'rohg', 'samr', 'syrc', 'thaa']);

function localeOf(language: string, tag: string | null): string {
  const region = tag?.split('-').find((part, index) => index > 0 && /^(?:[a-z]{2}|\d{3})$/i.test(part));
  const isSameLanguage = tag?.split('-')[0]?.toLowerCase() === language.split('-')[0]!.toLowerCase();
  if (region === undefined || !isSameLanguage || language.includes('-')) return language;
  return `${language}-${region.toUpperCase()}`;
}

function sameTag(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
