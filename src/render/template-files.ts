import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf, PostriderError } from '../kernel/index.js';
import { parseTemplate } from './template/parse-template.js';
import type { Template } from './template/syntax.js';

/**
 * The package's own templates and locales, read when first needed and kept:
 * templates/<portal>/{brand.json,layout.html,layout.txt,<type>.html,<type>.txt}, templates/kit/<piece>.{html,txt},
 * locales/emails/<language>.json.
 */
export interface TemplateFiles {
  /** Parsed, or undefined where there is no such file. */
  template(path: string): Template | undefined;
  /** As it is written, or undefined where there is no such file. */
  source(path: string): string | undefined;
  brand(portal: string): Record<string, string>;
  languages(): string[];
  /** Texts by dotted key. */
  texts(language: string): ReadonlyMap<string, string>;
}

export function createTemplateFiles(folder?: string): TemplateFiles {
  const templates = new Map<string, Template | undefined>();
  const brands = new Map<string, Record<string, string>>();
  const texts = new Map<string, ReadonlyMap<string, string>>();
  let found = folder;
  const rootFolder = () => {
    found ??= templateRoot();
    return found;
  };
  const locales = () => join(rootFolder(), 'locales', 'emails');
  let languages: string[] | null = null;
  const source = (path: string) => {
    const file = join(rootFolder(), 'templates', path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  return {
    source,
    template: (path) =>
      kept(templates, path, () => {
        const text = source(path);
        return text === undefined ? undefined : parseTemplate(text, `templates/${path}`);
      }),
    brand: (portal) =>
      kept(
        brands,
        portal,
        () => readJson(rootFolder(), `templates/${portal}/brand.json`) as Record<string, string>,
      ),
    languages() {
      languages ??= readdirSync(locales())
        .filter((name) => name.endsWith('.json'))
        .map((name) => name.slice(0, -'.json'.length))
        .sort();
      return languages;
    },
    texts: (language) =>
      kept(texts, language, () =>
        flattenTexts(readJson(rootFolder(), `locales/emails/${language}.json`), `${language}.json`),
      ),
  };
}

/** `{ "welcome": { "title": "…" } }` becomes `welcome.title`. */
export function flattenTexts(input: unknown, file: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const visit = (value: unknown, key: string) => {
    if (typeof value === 'string') texts.set(key, value);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      for (const [name, inner] of Object.entries(value)) visit(inner, key === '' ? name : `${key}.${name}`);
    else
      throw new PostriderError('INVALID_TEMPLATE', `${file}: ${key} is neither a text nor a group of texts.`);
  };
  visit(input, '');
  return texts;
}

function kept<T>(cache: Map<string, T>, key: string, make: () => T): T {
  if (!cache.has(key)) cache.set(key, make());
  return cache.get(key)!;
}

function readJson(root: string, path: string): unknown {
  const text = readFileSync(join(root, path), 'utf8');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new PostriderError('INVALID_TEMPLATE', `${path} is no JSON: ${messageOf(error)}`, { cause: error });
  }
}

/** The folder that holds templates and locales: beside the code, wherever it was compiled to. */
export function templateRoot(): string {
  for (const up of ['../../', '../../../']) {
    const root = fileURLToPath(new URL(up, import.meta.url));
    if (existsSync(join(root, 'templates')) && existsSync(join(root, 'locales', 'emails'))) return root;
  }
  throw new PostriderError('INTERNAL', 'The templates and locales folders are missing from the package.');
}
