import type { EmailInput } from '../intake/index.js';
import type { AudienceCriteria, AudienceMember } from '../recipients/index.js';

/**
 * A campaign: whom it is for and what each of them gets. Everyone in the audience is written to at most once per run;
 * an email that cannot be made is recorded with its person, and the others get theirs.
 */
export type Campaign = QueryCampaign | OwnCampaign<unknown>;

interface AnyCampaign {
  /** Nobody is written to again before that many days, counted from slot to slot where the run takes place. */
  notAgainForDays?: number;
}

/** Over the recipients Postrider keeps. */
export interface QueryCampaign extends AnyCampaign {
  audience: AudienceCriteria;
  /** How many days of what people did come along as `recentActivity`. Defaults to none. */
  recentActivityDays?: number;
  /** Keeps the slot as the recipient's lastReminderSentAt. */
  isReminder?: boolean;
  email(person: AudienceMember, occasion: Occasion): Making;
}

/** Over people the application knows. */
export interface OwnCampaign<Person> extends AnyCampaign {
  audience: OwnAudience<Person>;
  /** What makes a person one and the same within a run; hashed before it is kept. Together with the company. */
  key(person: Person): string;
  email(person: Person, occasion: Occasion): Making;
}

/** What to send; a text says why there is nothing to send; null says no more than that. */
export type Making = CampaignEmail | string | null | Promise<CampaignEmail | string | null>;

/** What `send` takes. For a recipient `to`, `companyId`, `recipient`, `userId` and `lang` are filled in. */
export type CampaignEmail = Partial<Omit<EmailInput, 'data'>> & { data?: object; react?: object };

export interface Occasion {
  schedule: string;
  runId: string;
  /** The time zone of the run. */
  zone: string;
  /** When it was due. */
  slot: Date;
}

/**
 * Everyone after the cursor in a fixed order: a page at a time, or as a stream. After a crash it is asked again from
 * the cursor last committed.
 */
export type OwnAudience<Person> = (
  request: AudienceRequest,
) => Promise<AudiencePage<Person>> | AsyncIterable<Placed<Person>>;

export interface AudienceRequest extends Occasion {
  /** What the application gave with the last page or person done with; null at the beginning. */
  cursor: string | null;
  /** How many are taken at once. */
  limit: number;
}

export interface AudiencePage<Person> {
  people: readonly Person[];
  /** Where the next page begins; null after the last. */
  cursor: string | null;
}

export interface Placed<Person> {
  person: Person;
  /** Where to go on after this one. */
  cursor: string;
}
