import { isPostriderError, messageOf, PostriderError } from '../kernel/index.js';
import { type BrandsOptions, createBrands } from './brands/create-brands.js';
import { compileEmail, sourceOf } from './compile-email.js';
import { languagesOf } from './create-renderer.js';
import type { EmailType } from './define-email.js';
import { createTemplateFiles, type TemplateFiles } from './template-files.js';

/**
 * Whether a type's templates can become emails, in every language it is written in and under every brand: an unknown
 * piece, field, helper or text, and what its own samples cannot fill, is INVALID_CONFIG with file and line, where the
 * type is declared and not where it is first sent.
 */
export function checkTemplates(type: EmailType, looks: Partial<BrandsOptions> = {}): void {
  const { files = packageFiles(), appUrl = null, brands } = looks;
  const known = createBrands({ files, appUrl, brands });
  for (const companyId of [null, ...known.companies()])
    for (const language of languagesOf(type, files))
      checkLanguage(type, { language, companyId, files, known });
}

function checkLanguage(
  type: EmailType,
  {
    language,
    companyId,
    files,
    known,
  }: {
    language: string;
    companyId: string | null;
    files: TemplateFiles;
    known: ReturnType<typeof createBrands>;
  },
): void {
  try {
    const email = compileEmail({
      ...{ type, files, source: sourceOf(type, files) },
      language: { language, locale: language },
      brand: known.of(type.portal, companyId),
    });
    for (const sample of [type.sample, ...Object.values(type.moreSamples ?? {})]) {
      const checked = type.data.safeParse(sample);
      if (checked.success) email.render(checked.data);
    }
  } catch (error) {
    throw new PostriderError(
      'INVALID_CONFIG',
      `The email type ${type.type} cannot be shown in ${language}: ${messageOf(error)}`,
      { field: fieldOf(type, error), cause: error },
    );
  }
}

/** As the declaration names it: `content.html`; a file of its own by its path. */
function fieldOf(type: EmailType, error: unknown): string {
  const named = isPostriderError(error) ? error.field : undefined;
  if (named?.startsWith(`${type.type}.`)) return `content.${named.slice(type.type.length + 1)}`;
  return named ?? 'content';
}

let ofPackage: TemplateFiles | null = null;

function packageFiles(): TemplateFiles {
  ofPackage ??= createTemplateFiles();
  return ofPackage;
}
