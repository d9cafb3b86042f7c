import {
  hasControlCharacter,
  invalidPayload,
  isStorableText,
  refuseUnknownKeys,
} from '../../kernel/index.js';
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
  const [canonical] = typeof lang === 'string' && LANGUAGE_TAG.test(lang) ? canonicalTag(lang) : [];
  if (canonical === undefined) throw invalidPayload('lang', 'must be a language tag such as en or pt-BR');
  if (typeof type !== 'string' || !TYPE_NAME.test(type))
    throw invalidPayload('type', 'must be the name of a type');
  return { companyId: checkCompany(companyId) ?? defaultTenant, type, lang: canonical };
}

export function checkCompany(companyId: unknown): string | null {
  if (companyId === undefined || companyId === null) return null;
  if (typeof companyId === 'string' && COMPANY_ID.test(companyId)) return companyId;
  throw invalidPayload('companyId', 'must be the id of a company');
}

export function checkDraft(draft: DraftContent): TemplateContent {
  if (typeof draft !== 'object' || draft === null) throw invalidPayload('content', 'must be an object');
  refuseUnknownKeys(draft, ['subject', 'htmlContent', 'textContent'], 'INVALID_PAYLOAD');
  const { subject, htmlContent, textContent } = draft;
  for (const [field, value] of Object.entries({ subject, htmlContent, textContent: textContent ?? '' })) {
    if (typeof value !== 'string') throw invalidPayload(field, 'must be a string');
    if (!isStorableText(value)) throw invalidPayload(field, 'contains NUL or is not valid Unicode');
  }
  return { subject, htmlContent, textContent: textContent || null };
}

export function checkAuthor(by: unknown): string {
  const isName = typeof by === 'string' && by !== '' && by.length <= 200 && isStorableText(by);
  if (isName && !hasControlCharacter(by)) return by;
  throw invalidPayload('updatedBy', 'must say who, in 1 to 200 characters');
}

export function checkVersion(version: unknown): number | undefined {
  if (version === undefined || version === null) return undefined;
  if (Number.isSafeInteger(version) && Number(version) > 0) return Number(version);
  throw invalidPayload('version', 'must be a whole number above 0');
}

const LANGUAGE_TAG = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;
const COMPANY_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const TYPE_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

function canonicalTag(lang: string): string[] {
  try {
    return Intl.getCanonicalLocales(lang);
  } catch {
    return [];
  }
}
