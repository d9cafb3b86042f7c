import { PostriderError, parseMailbox } from '../../kernel/index.js';
import type { Database, Queryable } from '../../store/index.js';
import type { Recipients } from '../create-recipients.js';
import { removeSuppressions } from '../write-suppressions.js';
import {
  BROADCASTS,
  type Contact,
  type ContactInput,
  type ContactPage,
  type ListedContact,
} from './contact.js';
import { findContact, listContacts } from './read-contacts.js';
import { joinSegments, leaveSegment } from './segments.js';

/** People as contacts: made, changed, put into segments, with what they want to hear about. Of one tenant each. */
export interface Contacts {
  /** Someone known by that address already is changed instead. */
  create(companyId: string, email: string, input: ContactInput & Belonging): Promise<Contact>;
  update(companyId: string, idOrEmail: string, input: ContactInput): Promise<Contact>;
  find(companyId: string, idOrEmail: string): Promise<Contact | null>;
  list(
    companyId: string,
    page: ContactPage & { segmentId: string | null },
  ): Promise<{ contacts: ListedContact[]; more: boolean }>;
  remove(companyId: string, idOrEmail: string): Promise<Contact>;
  join(companyId: string, idOrEmail: string, segmentId: string): Promise<Contact>;
  /** Whether they were in it. */
  leave(companyId: string, idOrEmail: string, segmentId: string): Promise<boolean>;
  /** Preferences by name: wants it, or not. */
  prefer(companyId: string, idOrEmail: string, preferences: Record<string, boolean>): Promise<Contact>;
}

export interface Belonging {
  segmentIds?: readonly string[];
  preferences?: Record<string, boolean>;
}

export interface ContactsParts {
  database: () => Promise<Database>;
  recipients: Recipients;
  hashKey: string;
  /** This process has changed the list of suppressions. */
  onChange(): void;
}

export function createContacts({ database, recipients, hashKey, onChange }: ContactsParts): Contacts {
  const prompt = async () => (await database()).prompt();
  const keeper = (tenant: string) => ({ tenant, hashKey });

  async function found(store: Queryable, companyId: string, idOrEmail: string) {
    const contact = await findContact(store, keeper(companyId), idOrEmail);
    if (contact) return contact;
    throw new PostriderError('NOT_FOUND', 'Contact not found', { field: 'id' });
  }

  /** Whoever wants something again takes back having refused it, wherever that is written. */
  async function write(
    tx: Queryable,
    companyId: string,
    who: { email: string; externalId: string | null; before: Contact | null },
    { firstName, lastName, properties, unsubscribed, preferences = {} }: ContactInput & Belonging,
  ): Promise<void> {
    const first = firstName === undefined ? (who.before?.firstName ?? null) : firstName;
    const last = lastName === undefined ? (who.before?.lastName ?? null) : lastName;
    const wishes: Record<string, boolean> = {
      ...preferences,
      ...(unsubscribed !== undefined && { [BROADCASTS]: !unsubscribed }),
    };
    const kept = Object.entries({ ...who.before?.properties, ...properties }).filter(
      ([, value]) => value !== null,
    );
    const named = [first, last].filter((part) => part !== null && part !== '').join(' ');
    await recipients.upsert(
      [
        {
          email: who.email,
          ...(who.externalId !== null && { externalId: who.externalId }),
          ...((firstName !== undefined || lastName !== undefined) && { name: named === '' ? null : named }),
          preferences: wishes,
          attributes: {
            ...(firstName !== undefined && { firstName }),
            ...(lastName !== undefined && { lastName }),
            ...(properties !== undefined && { properties: Object.fromEntries(kept) }),
          },
        },
      ],
      { companyId, tx },
    );
    const wanted = Object.keys(wishes).filter((category) => wishes[category]);
    if (unsubscribed === false) wanted.push('');
    for (const category of wanted)
      await removeSuppressions(tx, keeper(companyId), { email: who.email, reason: 'unsubscribe', category });
  }

  async function change(
    companyId: string,
    idOrEmail: string,
    input: ContactInput & Belonging,
  ): Promise<Contact> {
    const changed = await (await prompt()).transaction(async (tx) => {
      const before = await found(tx, companyId, idOrEmail);
      await write(tx, companyId, { ...before, before }, input);
      return found(tx, companyId, before.id);
    });
    onChange();
    return changed;
  }

  return {
    async create(companyId, email, input) {
      const { address } = parseMailbox(email, 'email');
      const made = await (await prompt()).transaction(async (tx) => {
        const before = await findContact(tx, keeper(companyId), address);
        await write(tx, companyId, { email: address, externalId: before?.externalId ?? null, before }, input);
        const contact = await found(tx, companyId, before?.id ?? address);
        await joinSegments(tx, companyId, contact.id, input.segmentIds ?? []);
        return contact;
      });
      onChange();
      return made;
    },
    update: change,
    prefer: (companyId, idOrEmail, preferences) => change(companyId, idOrEmail, { preferences }),
    find: async (companyId, idOrEmail) => findContact(await prompt(), keeper(companyId), idOrEmail),
    list: async (companyId, page) => listContacts(await prompt(), keeper(companyId), page),
    async remove(companyId, idOrEmail) {
      const contact = await found(await prompt(), companyId, idOrEmail);
      await recipients.remove({ recipientId: contact.id }, { companyId });
      return contact;
    },
    async join(companyId, idOrEmail, segmentId) {
      const store = await prompt();
      const contact = await found(store, companyId, idOrEmail);
      await store.transaction((tx) => joinSegments(tx, companyId, contact.id, [segmentId]));
      return contact;
    },
    async leave(companyId, idOrEmail, segmentId) {
      const store = await prompt();
      const contact = await found(store, companyId, idOrEmail);
      return leaveSegment(store, companyId, contact.id, segmentId);
    },
  };
}
