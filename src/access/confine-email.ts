import { PostriderError, parseMailbox } from '../kernel/index.js';
import { type Caller, foreignCompany } from './caller.js';

/**
 * An email as it came through a door, made the caller's own: a key's tenant decides whose it is, and another one in
 * the body is refused. What is not even an object is left for intake, which says what is wrong with it.
 */
export function confineEmail(caller: Caller, input: unknown, at = ''): unknown {
  if (caller.kind !== 'key') return input;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const email = input as Record<string, unknown>;
  const asked = Object.hasOwn(email, 'companyId') ? (email.companyId ?? undefined) : undefined;
  if (asked !== undefined && asked !== caller.companyId) throw foreignCompany(`${at}companyId`);
  const from = Object.hasOwn(email, 'from') ? (email.from ?? undefined) : undefined;
  if (caller.fromDomains !== null) refuseForeignDomain(caller.fromDomains, from, `${at}from`);
  // Own keys such as __proto__ stay what they are, for intake to refuse.
  const confined = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of Object.entries(email)) confined[key] = value;
  confined.companyId = caller.companyId;
  return confined;
}

/** The default sender belongs to no key: one that is bound to domains names its sender. */
function refuseForeignDomain(allowed: readonly string[], from: unknown, field: string): void {
  const domain = from === undefined ? null : domainOf(parseMailbox(from, field).address);
  if (domain !== null && allowed.includes(domain)) return;
  const message =
    domain === null
      ? 'This key sends from its own domains only; say from.'
      : `This key may not send from ${domain}.`;
  throw new PostriderError('SENDER_NOT_ALLOWED', message, { field });
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase();
}
