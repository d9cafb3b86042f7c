import { messageOf } from '../kernel/index.js';
import { type BrandsOptions, createBrands } from './brands/create-brands.js';
import { type BrandInput, checkBrands } from './brands/parse-brands.js';
import { checkClientHtml } from './check-client-html.js';
import { compileEmail, sourceOf } from './compile-email.js';
import { createRenderer, languagesOf } from './create-renderer.js';
import type { EmailType } from './define-email.js';
import { sampleVariants } from './sample-variants.js';
import { createTemplateFiles } from './template-files.js';

/**
 * Everything that can be wrong with an application's own types before an email is sent, as sentences: a template that
 * does not compile, a sample that cannot be shown, a text that a language lacks or nobody uses, and what mail programs
 * would not show as it is meant. An empty list is what a test of the application should expect.
 */
export function checkTypes(types: readonly EmailType[], options: CheckOptions = {}): string[] {
  const files = createTemplateFiles();
  const looks = {
    appUrl: options.appUrl ?? null,
    brands: options.brands ? checkBrands(options.brands) : [],
  };
  return types.flatMap((type) => {
    const used = new Set<string>();
    const languages = languagesOf(type, files);
    const problems = languages.flatMap((language) =>
      checkType({ type, language, files, ...looks }, { onText: (key) => used.add(key), forClients: true }),
    );
    return [...problems, ...checkMessages(type, used)];
  });
}

export interface CheckOptions {
  brands?: readonly BrandInput[];
  appUrl?: string | null;
}

/** One type in one language, with every sample and without each field that may be left out. */
export function checkType(
  { type, language, files, ...looks }: { type: EmailType; language: string } & BrandsOptions,
  { onText, forClients }: { onText(key: string): void; forClients: boolean },
): string[] {
  try {
    const { checkData } = createRenderer({ files, ...looks });
    checkData(type, type.sample);
    const email = compileEmail({
      ...{ type, files, onText, source: sourceOf(type, files) },
      language: { language, locale: language },
      brand: createBrands({ files, ...looks }).of(type.portal, null),
    });
    const shown = sampleVariants(type).map((sample) => email.render(checkData(type, sample)));
    const problems = forClients ? new Set(shown.flatMap(checkClientHtml)) : [];
    return [...problems].map((problem) => `${type.type} in ${language}: ${problem}`);
  } catch (error) {
    return [`${type.type} in ${language}: ${messageOf(error)}`];
  }
}

/** Texts of the type's own: each used, and there in each of its languages. */
function checkMessages({ type, content }: EmailType, used: ReadonlySet<string>): string[] {
  const messages = Object.entries(content?.messages ?? {});
  const keys = new Set(messages.flatMap(([, texts]) => Object.keys(texts)));
  return [...keys].flatMap((key) =>
    used.has(key)
      ? messages
          .filter(([, texts]) => !Object.hasOwn(texts, key))
          .map(([language]) => `${type} in ${language}: the text ${key} is missing`)
      : [`${type}: the text ${key} is not used`],
  );
}
