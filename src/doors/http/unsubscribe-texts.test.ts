import { expect, test } from 'vitest';
import { languageOf, PAGE_LANGUAGES, textsOf } from './unsubscribe-texts.js';

test.each([
  [undefined, undefined, 'en'],
  [undefined, 'fr-FR, de;q=0.7, ko;q=0.9', 'ko'],
  [undefined, 'de-AT,en;q=0.5', 'de'],
  ['ko-KR', 'de', 'ko'],
  ['fr', 'de', 'de'],
  [undefined, 'de;q=0, en', 'en'],
  [undefined, ';;;,,q=,', 'en'],
])('asked for %s, accepting %s → %s', (asked, accepted, language) => {
  expect(languageOf(asked, accepted)).toBe(language);
});

test.each(PAGE_LANGUAGES)('%s → says the same things as English', (language) => {
  const shape = (texts: object) => Object.keys(texts).sort();
  expect(shape(textsOf(language))).toEqual(shape(textsOf('en')));
  expect(shape(textsOf(language).kinds)).toEqual(shape(textsOf('en').kinds));
});
