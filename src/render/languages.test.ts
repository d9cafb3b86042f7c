import { expect, it } from 'vitest';
import { directionOf, fallbackChain, resolveLanguage } from './languages.js';

it('a tag → its own chain down to English, once', () => {
  expect(fallbackChain('zh-Hant-TW')).toEqual(['zh-Hant-TW', 'zh-Hant', 'zh', 'en']);
  expect(fallbackChain('pt-BR')).toEqual(['pt-BR', 'pt', 'en']);
  expect(fallbackChain('en-GB')).toEqual(['en-GB', 'en']);
});

it.each([
  ['pt-BR', ['en', 'pt'], { language: 'pt', locale: 'pt-BR' }],
  ['pt-br', ['en', 'pt-BR', 'pt'], { language: 'pt-BR', locale: 'pt-BR' }],
  ['fr-CH', ['de', 'en'], { language: 'en', locale: 'en' }],
  ['en-GB', ['de', 'en'], { language: 'en', locale: 'en-GB' }],
  ['DE', ['de', 'en'], { language: 'de', locale: 'de' }],
  [null, ['de', 'en'], { language: 'en', locale: 'en' }],
  ['fr', ['de'], { language: 'de', locale: 'de' }],
])('%s of %j → %j', (tag, available, expected) => {
  expect(resolveLanguage(tag, available)).toEqual(expected);
});

it('Arabic, Hebrew, Persian and Arabic script → right to left; the rest not', () => {
  expect(['ar', 'he', 'fa-IR', 'az-Arab', 'ur'].map(directionOf)).toEqual(Array(5).fill('rtl'));
  expect(['en', 'de', 'ko', 'ar-Latn', 'ku'].map(directionOf)).toEqual(Array(5).fill('ltr'));
});
