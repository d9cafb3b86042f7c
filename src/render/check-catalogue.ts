import { checkType } from './check-types.js';
import { languagesOf } from './create-renderer.js';
import type { EmailType } from './define-email.js';
import { argumentsOf, parseMessage } from './template/bind-message.js';
import { createTemplateFiles, type TemplateFiles } from './template-files.js';

/**
 * Everything that can be wrong with types, templates and texts before an email is sent, as sentences: a template that
 * does not compile, a sample that does not fit or cannot be shown, a text that is missing, unused, or asks for other
 * values than it does in English.
 */
export function checkCatalogue(
  types: readonly EmailType[],
  files: TemplateFiles = createTemplateFiles(),
): string[] {
  const problems: string[] = [];
  const used = new Set<string>();
  for (const type of types) {
    for (const language of languagesOf(type, files))
      problems.push(
        ...checkType(
          { type, language, files, appUrl: null },
          { onText: (key) => used.add(key), forClients: false },
        ),
      );
  }
  for (const language of files.languages()) problems.push(...checkTexts(language, files, used));
  return problems;
}

function checkTexts(language: string, files: TemplateFiles, used: ReadonlySet<string>): string[] {
  const texts = files.texts(language);
  const problems = [...texts.keys()]
    .filter((key) => !used.has(key))
    .map((key) => `${language}.json: ${key} is not used by any template`);
  for (const key of used) {
    const text = texts.get(key);
    const english = files.texts('en').get(key);
    if (text === undefined) {
      if (english !== undefined) problems.push(`${language}.json: ${key} is missing`);
      continue;
    }
    const needs = valuesOf(text, language);
    const model = valuesOf(english ?? text, 'en');
    if (needs === null || model === null) continue; // named where a type uses it
    if (needs !== model)
      problems.push(`${language}.json: ${key} uses {${needs}} where English uses {${model}}`);
  }
  return problems;
}

function valuesOf(text: string, language: string): string | null {
  try {
    return [...argumentsOf(parseMessage(text, language).elements)].sort().join(', ');
  } catch {
    return null;
  }
}
