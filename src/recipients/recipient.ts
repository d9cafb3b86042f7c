/** A person of a tenant, as the library and the API show them. */
export interface Recipient {
  recipientId: string;
  companyId: string;
  /** The application's own id. */
  externalId: string | null;
  email: string;
  name: string | null;
  /** A language tag; emails that name no language are written in it. */
  language: string | null;
  /** An IANA name; where none is known a day is that of UTC. */
  timeZone: string | null;
  /** `active` unless the application says otherwise. */
  status: string;
  accountType: string | null;
  /** What they want (true) and do not want (false), by the name an email type declares. */
  preferences: Record<string, boolean>;
  attributes: Record<string, unknown>;
  lastCheckInAt: string | null;
  lastActiveAt: string | null;
  /** Days in a row with a check-in, up to today or yesterday; 0 once a day was missed. */
  streakDays: number;
  reminderFrequency: ReminderFrequency | null;
  lastReminderSentAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export type ReminderFrequency = (typeof REMINDER_FREQUENCIES)[number];
export const REMINDER_FREQUENCIES = ['daily', 'weekdays', 'weekly', 'never'] as const;

/** What can be said of a person: a field left out stays as it is, null clears it, a key of null removes the key. */
export interface RecipientInput {
  /** The key, where it is given; else the email is. */
  externalId?: string;
  email: string;
  name?: string | null;
  language?: string | null;
  timeZone?: string | null;
  status?: string;
  accountType?: string | null;
  preferences?: Record<string, boolean | null>;
  attributes?: Record<string, unknown>;
  reminderFrequency?: ReminderFrequency | null;
  lastActiveAt?: Date | string | null;
  lastReminderSentAt?: Date | string | null;
}

/** One person, by any of their names; several with one email are found by the oldest. */
export type RecipientRef = { recipientId: string } | { externalId: string } | { email: string };
