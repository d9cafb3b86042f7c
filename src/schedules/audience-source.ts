import { createHash } from 'node:crypto';
import { type AudienceZone, countAudience, readAudiencePage } from '../recipients/index.js';
import type { Database } from '../store/index.js';
import type {
  AudienceRequest,
  Campaign,
  CampaignEmail,
  Making,
  Occasion,
  OwnCampaign,
  QueryCampaign,
} from './campaign.js';
import { zonesOfPeople } from './fire-slots.js';
import { dayBefore, momentOf } from './moment-of.js';

/**
 * The people of a run, page by page from a cursor, whoever supplies them. Never more than a page is held. `close` ends
 * an application's stream that is not read to its end.
 */
export interface AudienceSource {
  next(): Promise<SourcePage>;
  /** Null where only the application knows. */
  count(): Promise<number | null>;
  close(): Promise<void>;
}

export interface SourcePage {
  people: Candidate[];
  /** How many were passed over by the query, by reason. */
  skipped: Record<string, number>;
  lookedAt: number;
  /** Where the next page begins. */
  cursor: string | null;
  last: boolean;
}

export interface Candidate {
  /** As it is kept in marks and errors. */
  key: string;
  /** Ours, where the person is one of the recipients. */
  recipientId: string | null;
  make(): Making;
  /** What goes with every email to this person unless the campaign says otherwise. */
  envelope: CampaignEmail;
}

export interface SourceRequest {
  campaign: Campaign;
  occasion: Occasion;
  cursor: string | null;
  limit: number;
  /** Only who lives in the zone of the run. */
  perZone: boolean;
  defaultZone: string;
}

export async function openSource(database: Database, request: SourceRequest): Promise<AudienceSource> {
  const { campaign, ...rest } = request;
  if (typeof campaign.audience === 'function') return ownSource(campaign as OwnCampaign<unknown>, rest);
  return querySource(database, campaign as QueryCampaign, rest);
}

type Rest = Omit<SourceRequest, 'campaign'>;

async function querySource(
  database: Database,
  campaign: QueryCampaign,
  request: Rest,
): Promise<AudienceSource> {
  const { occasion, limit, defaultZone } = request;
  let { cursor } = request;
  const { zone, slot } = occasion;
  const moment = momentOf(slot, zone, await livingThere());
  async function livingThere(): Promise<AudienceZone> {
    if (!request.perZone) return 'all';
    if (zone !== defaultZone) return { only: zone };
    return { allBut: (await zonesOfPeople(database, defaultZone)).filter((name) => name !== defaultZone) };
  }
  const days = campaign.recentActivityDays;
  const activitySince = days === undefined ? null : dayBefore(slot, zone, days);
  return {
    count: () => countAudience(database, campaign.audience, moment),
    async next() {
      const rows = await readAudiencePage(database, campaign.audience, {
        moment,
        cursor,
        limit,
        activitySince,
      });
      cursor = rows.at(-1)?.person.recipientId ?? cursor;
      const skipped: Record<string, number> = {};
      for (const { reason } of rows) if (reason !== null) skipped[reason] = (skipped[reason] ?? 0) + 1;
      const people = rows.flatMap(({ person, reason }): Candidate[] => {
        if (reason !== null) return [];
        const { recipientId, companyId, externalId, email, name, language } = person;
        return [
          {
            key: recipientId,
            recipientId,
            make: () => campaign.email(person, occasion),
            envelope: {
              to: name === null ? email : { address: email, name },
              companyId,
              recipient: { recipientId, email },
              ...(externalId !== null && { userId: externalId }),
              ...(language !== null && { lang: language }),
            },
          },
        ];
      });
      return { people, skipped, lookedAt: rows.length, cursor, last: rows.length < limit };
    },
    async close() {},
  };
}

async function ownSource(
  campaign: OwnCampaign<unknown>,
  { occasion, cursor, limit }: Rest,
): Promise<AudienceSource> {
  const ask = (from: string | null) =>
    campaign.audience({ ...occasion, cursor: from, limit } satisfies AudienceRequest);
  const candidate = (person: unknown): Candidate => ({
    key: hashed(campaign.key(person)),
    recipientId: null,
    make: () => campaign.email(person, occasion),
    envelope: {},
  });
  const page = (people: readonly unknown[], at: string | null, last: boolean): SourcePage => ({
    people: people.map(candidate),
    skipped: {},
    lookedAt: people.length,
    cursor: at,
    last,
  });
  const first = ask(cursor);
  if (!(Symbol.asyncIterator in first)) {
    let pending: typeof first | null = first;
    let at = cursor;
    return {
      count: async () => null,
      async next() {
        const given = await (pending ?? (ask(at) as typeof first));
        pending = null;
        at = given.cursor;
        return page(given.people, at, at === null);
      },
      async close() {},
    };
  }
  const stream = first[Symbol.asyncIterator]();
  let at = cursor;
  return {
    count: async () => null,
    async next() {
      const people: unknown[] = [];
      while (people.length < limit) {
        const given = await stream.next();
        if (given.done) return page(people, at, true);
        people.push(given.value.person);
        at = given.value.cursor;
      }
      return page(people, at, false);
    },
    async close() {
      await stream.return?.();
    },
  };
}

/** An application's key may be an address, which is nobody's business here. */
function hashed(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
