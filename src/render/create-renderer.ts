import { didYouMean, hasControlCharacter } from '../kernel/index.js';
import { type BrandsOptions, createBrands } from './brands/create-brands.js';
import {
  type CompiledEmail,
  compileEmail,
  type EmailSource,
  parseContent,
  type RenderedContent,
  sourceOf,
} from './compile-email.js';
import type { EmailType, TypeAttachment } from './define-email.js';
import { FALLBACK_LANGUAGE, fallbackChain, type ResolvedLanguage, resolveLanguage } from './languages.js';
import { dataProblem } from './template/template-problem.js';
import type { TemplateFiles } from './template-files.js';

/**
 * From a type, a language and data to finished content. Compiled templates are kept, as many as fit, so
 * that an email costs only its own values. It knows no database: a tenant's override is handed in.
 */
export interface Renderer {
  /** Data that does not fit is INVALID_PAYLOAD with its field; returns what the schema made of it. */
  checkData(type: EmailType, data: unknown): unknown;
  /** `data` has been checked. */
  render(request: RenderRequest): RenderedContent;
  /** Compiles and throws away; throws INVALID_TEMPLATE with line and reason. */
  tryOut(request: RenderRequest & { lang: string }, content: OverrideContent): RenderedContent;
  /** The files of the type's own that go along. */
  attachments(request: FilesRequest): TypeAttachment[];
  /** Companies that have a brand of their own. */
  companies(): string[];
}

export interface RenderRequest {
  type: EmailType;
  lang: string | null;
  data: unknown;
  /** Whose brand it wears. Defaults to everyone's. */
  companyId?: string | null | undefined;
  /** A published override of exactly this language, or undefined. */
  override?(lang: string): Override | undefined;
}

export interface FilesRequest {
  type: EmailType;
  data: unknown;
  companyId: string;
  /** The moment they are made. */
  at: Date;
}

export interface OverrideContent {
  subject: string;
  html: string;
  text: string | null;
}

export interface Override extends OverrideContent {
  id: string;
}

export type RendererOptions = BrandsOptions;

export function createRenderer({ files, appUrl, brands: given }: RendererOptions): Renderer {
  const compiled = new CompiledEmails();
  const brands = createBrands({ files, appUrl, brands: given });

  function compile(
    { type, companyId }: RenderRequest,
    { language, source, key }: { language: ResolvedLanguage; source: () => EmailSource; key: string },
  ) {
    const brand = brands.of(type.portal, companyId ?? null);
    const whole = `${key} ${language.locale} ${brand.key}`;
    const known = compiled.get(whole);
    if (known) return known;
    const made = compileEmail({ type, language, files, source: source(), brand });
    compiled.keep(whole, made);
    return made;
  }

  function choose(request: RenderRequest): CompiledEmail {
    const { type, lang, override } = request;
    const available = languagesOf(type, files);
    for (const candidate of fallbackChain(lang ?? FALLBACK_LANGUAGE)) {
      const replacing = override?.(candidate);
      if (replacing) {
        const language = resolveLanguage(lang, [candidate]);
        return compile(request, { language, source: () => parseContent(replacing), key: replacing.id });
      }
      if (available.some((known) => known.toLowerCase() === candidate.toLowerCase())) break;
    }
    const language = resolveLanguage(lang, available);
    const key = `${type.type} ${language.language}`;
    return compile(request, { language, source: () => sourceOf(type, files), key });
  }

  return {
    checkData,
    render: (request) => choose(request).render(request.data),
    tryOut({ type, lang, data, companyId }, content) {
      const language = resolveLanguage(lang, [lang]);
      const brand = brands.of(type.portal, companyId ?? null);
      return compileEmail({ type, language, files, source: parseContent(content), brand }).render(data);
    },
    attachments({ type, data, companyId, at }) {
      const { name, supportEmail, url } = brands.of(type.portal, companyId);
      return type.attachments?.(data, { at, companyId, brand: { name, supportEmail, url } }) ?? [];
    },
    companies: brands.companies,
  };
}

/**
 * Those used last, as many as fit. There is one for every region that a caller asks for, so a limit to their number alone
 * would let a large override fill the memory.
 */
class CompiledEmails {
  private readonly byKey = new Map<string, CompiledEmail>();
  private parts = 0;

  get(key: string): CompiledEmail | undefined {
    const found = this.byKey.get(key);
    if (found === undefined) return undefined;
    this.byKey.delete(key);
    this.byKey.set(key, found);
    return found;
  }

  keep(key: string, made: CompiledEmail): void {
    this.byKey.set(key, made);
    this.parts += made.parts;
    for (const [oldest, { parts }] of this.byKey) {
      if (this.parts <= MAX_PARTS_KEPT || oldest === key) return;
      this.byKey.delete(oldest);
      this.parts -= parts;
    }
  }
}

/** Some 40 MB. The catalogue has 6,200 in each language. */
const MAX_PARTS_KEPT = 40_000;

/** The languages a type is written in: those of the package, or those its own texts come in. */
export function languagesOf(type: EmailType, files: TemplateFiles): string[] {
  const own = Object.keys(type.content?.messages ?? {});
  return type.content && own.length > 0 ? own : files.languages();
}

function checkData(type: EmailType, data: unknown): unknown {
  const result = type.data.safeParse(data);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    if (key.length > 64 || hasControlCharacter(key))
      throw dataProblem(`data${path}`, `has a field that ${type.type} does not know`);
    const known = 'shape' in type.data ? Object.keys(type.data.shape as object) : [];
    const suggestion = path === '' ? didYouMean(key, known) : null;
    const hint = suggestion === null ? '' : `; did you mean ${suggestion}`;
    throw dataProblem(`data${path}.${key}`, `is not a field of ${type.type}${hint}`);
  }
  const isMissing = issue.code === 'invalid_type' && /received undefined$/.test(issue.message);
  throw dataProblem(
    `data${path}`,
    isMissing ? `is missing; ${type.type} needs it` : `does not fit: ${issue.message}`,
  );
}
