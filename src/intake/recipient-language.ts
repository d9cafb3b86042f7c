import { isUuid } from '../kernel/index.js';
import { findLanguages, nameKey } from '../recipients/index.js';
import type { Queryable } from '../store/index.js';
import { needsTemplate } from './render-typed.js';

/**
 * Emails that are to be rendered, name a person and say no language are written in that person's. One query for the
 * whole batch, none when no email asks for it; what is wrong with an input is left for the parser to refuse.
 */
export async function withRecipientLanguages(
  database: Queryable,
  inputs: readonly unknown[],
  defaultTenant: string,
): Promise<readonly unknown[]> {
  const names = inputs.map((input) => (needsTemplate(input) ? nameIn(input, defaultTenant) : null));
  const asked = names.filter((name) => name !== null);
  if (asked.length === 0) return inputs;
  const languages = await findLanguages(database, asked);
  return inputs.map((input, index) => {
    const name = names[index];
    const lang = name ? languages.get(nameKey(name)) : undefined;
    return lang === undefined ? input : { ...(input as object), lang };
  });
}

function nameIn(input: unknown, defaultTenant: string) {
  const { lang, recipient, companyId } = input as Record<string, unknown>;
  if ((lang !== undefined && lang !== null) || typeof recipient !== 'object' || recipient === null)
    return null;
  const { recipientId, externalId } = recipient as Record<string, unknown>;
  const tenant = typeof companyId === 'string' ? companyId : defaultTenant;
  if (!STORABLE.test(tenant)) return null;
  if (isUuid(recipientId)) return { recipientId, externalId: null, tenant };
  if (typeof externalId === 'string' && STORABLE.test(externalId))
    return { recipientId: null, externalId, tenant };
  return null;
}

const STORABLE = /^[^\u0000-\u001f\ud800-\udfff]{1,128}$/u;
