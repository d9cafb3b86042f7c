/** A person of a tenant as the Resend API shows them: the recipients' table under other names. */
export interface Contact {
  id: string;
  email: string;
  firstName: string | null;
  lastName: string | null;
  properties: Record<string, string | number>;
  /** Refuses broadcasts; emails they asked for still come. */
  unsubscribed: boolean;
  preferences: Record<string, boolean>;
  createdAt: string;
}

export type ListedContact = Omit<Contact, 'properties' | 'preferences'>;

/** A field left out stays as it is; null clears it. */
export interface ContactInput {
  firstName?: string | null;
  lastName?: string | null;
  properties?: Record<string, string | number | null>;
  unsubscribed?: boolean;
}

export interface ContactPage {
  limit: number;
  after: string | null;
  before: string | null;
}

/** The preference broadcasts without a topic go by. */
export const BROADCASTS = 'broadcasts';
