import { z } from 'zod';
import { field, fields, invalidPayload, needed } from '../../kernel/index.js';
import type { TemplateContent, TemplateKey } from './template-versions.js';

/**
 * What callers say about overrides, checked before the store or a template sees it: whose, which type, which language,
 * the content as text the store can hold, and who changes it. Every refusal names its field.
 */
export interface TemplateKeyInput {
  /** Defaults to the company of emails that name none. */
  companyId?: string | undefined;
  type: string;
  lang: string;
}

export interface DraftContent {
  subject: string;
  htmlContent: string;
  /** Defaults to what the HTML says. */
  textContent?: string | null;
}

export function checkKey({ companyId, type, lang }: TemplateKeyInput, defaultTenant: string): TemplateKey {
  return {
    lang: TEMPLATE_KEY_FIELDS.lang.read(lang ?? '', 'lang'),
    type: TEMPLATE_KEY_FIELDS.type.read(type ?? '', 'type')!,
    companyId: checkCompany(companyId) ?? defaultTenant,
  };
}

export function checkCompany(input: unknown): string | null {
  return companyId.read(input ?? undefined, 'companyId');
}

export function checkDraft(draft: DraftContent): TemplateContent {
  const { subject, htmlContent, textContent } = CONTENT.read(draft, '');
  return { subject, htmlContent, textContent: textContent || null };
}

export function checkAuthor(by: unknown): string {
  return updatedBy.read(by ?? '', 'updatedBy')!;
}

export function checkVersion(input: unknown): number | undefined {
  return version.read(input ?? undefined, 'version') ?? undefined;
}

const companyId = field.pattern(/^[A-Za-z0-9._:-]{1,128}$/, 'the id of a company');
const updatedBy = field.line(200, 'Who; whoever is signed in need not say.');
const version = field.whole(1, 999_999_999);
const LANGUAGE_TAG = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;

/** Where an override stands. */
export const TEMPLATE_KEY_FIELDS = {
  companyId,
  type: field.pattern(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, 'the name of a type'),
  lang: field.own(
    () => z.string().regex(LANGUAGE_TAG),
    (input, name): string => {
      const [canonical] = typeof input === 'string' && LANGUAGE_TAG.test(input) ? canonicalTag(input) : [];
      if (canonical !== undefined) return canonical;
      throw invalidPayload(name, 'must be a language tag such as en or pt-BR');
    },
    'A language tag such as en or pt-BR.',
  ),
} as const;
export const VERSION = version;

const content = {
  subject: needed(field.text(), 'must be a string'),
  htmlContent: needed(field.text(), 'must be a string'),
  textContent: field.text(),
};
const CONTENT = fields(content, { nullIsAbsent: true });
const data = field.own(
  () => z.unknown(),
  (input) => input,
  "Instead of the type's sample.",
);

const MUST_BE_SAID = 'must be true or false';
/** No flag: those take null for false, and here nothing is meant by it. */
const isActive = field.own(
  () => z.boolean(),
  (input, name): boolean => {
    if (typeof input === 'boolean') return input;
    throw invalidPayload(name, MUST_BE_SAID);
  },
);

/** The bodies of what is done with an override, as they are read and described. */
export const TEMPLATE_INPUTS = {
  draft: fields({ ...content, companyId, updatedBy }, { nullIsAbsent: true }),
  preview: fields({ companyId, content: CONTENT, data, version }, { nullIsAbsent: true }),
  publish: fields({ companyId, updatedBy }, { nullIsAbsent: true }),
  rollBack: fields({ companyId, updatedBy, version }, { nullIsAbsent: true }),
  active: fields({ companyId, updatedBy, isActive: needed(isActive, MUST_BE_SAID) }, { nullIsAbsent: true }),
} as const;

function canonicalTag(lang: string): string[] {
  try {
    return Intl.getCanonicalLocales(lang);
  } catch {
    return [];
  }
}
