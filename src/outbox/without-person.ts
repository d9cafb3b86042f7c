import { recipientsOf } from './new-email.js';
import type { StoredMessage } from './open-claims.js';

/**
 * One person as the ledger may know them, and a message without them. Addresses are compared without regard to case:
 * rather one email too many than a trace left. In text an address is only theirs where it stands alone, so that
 * ann@example.com is not found in joann@example.com.
 */
export interface Person {
  /** null: in every tenant. */
  tenant: string | null;
  /** In small letters. */
  addresses: readonly string[];
  /** Tenant and external id, joined by the unit separator. */
  ids: readonly string[];
  /** Finds any of the addresses in text, as PostgreSQL writes regular expressions. */
  pattern: string;
}

/** What stands where the person stood; nobody can be written to there. */
export const ERASED = 'erased@erased.invalid';

export function personOf(
  tenant: string | null,
  addresses: readonly string[],
  externalIds: ReadonlyArray<{ tenant: string; externalId: string }>,
): Person {
  const all = [...new Set(addresses.map((address) => address.toLowerCase()))];
  return {
    tenant,
    addresses: all,
    ids: externalIds.map((known) => `${known.tenant}\u001f${known.externalId}`),
    pattern: patternOf(all),
  };
}

/** `known`: the email names the person as its recipient, whatever its first address is. */
export function withoutPerson(
  message: StoredMessage,
  person: Person,
  known: boolean,
): { message: StoredMessage; to: string; others: string[] } {
  const first = recipientsOf({ ...message, to: message.to ?? [] })[0]?.address;
  const isPerson = (address: string) =>
    person.addresses.includes(address.toLowerCase()) || (known && address === first);
  const without = <T extends { address: string }>(list: readonly T[] = []) =>
    list.filter(({ address }) => !isPerson(address));
  const [to, cc, bcc] = [without(message.to), without(message.cc), without(message.bcc)];
  const others = recipientsOf({ to, cc, bcc }).map(({ address }) => address);
  const shown = message.headerRecipients && {
    to: without(message.headerRecipients.to),
    cc: without(message.headerRecipients.cc),
  };
  // Someone has to stand in the header; who was hidden stays hidden.
  const visible = to.length > 0 || shown ? to : cc.length > 0 ? cc.splice(0, 1) : [{ address: ERASED }];
  const text = new RegExp(scriptPatternOf(person.addresses), 'giu');
  const rest = JSON.parse(
    person.addresses.length > 0 ? JSON.stringify(message).replace(text, ERASED) : JSON.stringify(message),
  ) as StoredMessage;
  return {
    message: {
      ...rest,
      to: visible,
      ...(message.cc && { cc }),
      ...(message.bcc && { bcc }),
      ...(shown && { headerRecipients: shown }),
      ...(message.replyTo && { replyTo: without(message.replyTo) }),
    },
    to: recipientsOf({ to: visible, cc, bcc })[0]?.address ?? ERASED,
    others,
  };
}

// Nothing is searched for where there is no address: a pattern that never matches.
const NOTHING = '(?!)';

function patternOf(addresses: readonly string[]): string {
  if (addresses.length === 0) return 'a^b';
  return `(?<![[:alnum:]._+-])(?:${alternatives(addresses)})(?![[:alnum:]-]|\\.[[:alnum:]])`;
}

function scriptPatternOf(addresses: readonly string[]): string {
  if (addresses.length === 0) return NOTHING;
  return `(?<![\\p{L}\\p{N}._+-])(?:${alternatives(addresses)})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`;
}

/** Also as it stands in links. */
function alternatives(addresses: readonly string[]): string {
  const forms = addresses.flatMap((address) => [address, encodeURIComponent(address).toLowerCase()]);
  return [...new Set(forms)].map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
}
