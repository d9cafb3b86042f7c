import { Turns } from '../../kernel/index.js';
import {
  BROADCASTS,
  type Contact,
  type ContactProperties,
  readSegmentPage,
  type Topics,
} from '../../recipients/index.js';
import type { Database } from '../../store/index.js';
import type { CampaignEmail } from '../campaign.js';
import { defineSchedule, type Schedule } from '../define-schedule.js';
import { BROADCAST_SCHEDULE, BROADCAST_TYPE, type BroadcastContent } from './broadcast.js';
import { readBroadcast } from './create-broadcasts.js';

/**
 * Broadcasts as a campaign: its audience is the segment of the broadcast a run is about, its email the broadcast's
 * content for one of them. Whoever has unsubscribed, or does not want the topic, is passed over and counted.
 */
export interface BroadcastScheduleParts {
  database: () => Promise<Database>;
  topics: Topics;
  properties: Pick<ContactProperties, 'list'>;
  hashKey: string;
  /** Reads the content once; what it returns makes it the content for one person. */
  fill(content: BroadcastContent, about: AboutBroadcast): (contact: Contact) => FilledBroadcast;
}

/** What holds for all of its emails. */
export interface AboutBroadcast {
  companyId: string;
  broadcastId: string;
  category: string;
  /** By key in capitals: what stands for a property that is not known of a person. */
  fallbacks: ReadonlyMap<string, string>;
}

export type FilledBroadcast = Pick<CampaignEmail, 'subject' | 'html' | 'text'>;

export function broadcastSchedule(parts: BroadcastScheduleParts): Schedule {
  const { database, topics, properties, hashKey, fill } = parts;
  return defineSchedule<Addressee>({
    name: BROADCAST_SCHEDULE,
    cron: null,
    campaign: {
      async audience({ zone: id, cursor, limit }) {
        const store = await database();
        const broadcast = await readBroadcast(store, id);
        if (!broadcast?.segmentId) return { people: [], cursor: null };
        const { companyId, segmentId, topicId, content } = broadcast;
        const contacts = await readSegmentPage(
          store,
          { tenant: companyId, hashKey },
          { segmentId, cursor, limit },
        );
        const topic = topicId === null ? null : await topics.find(companyId, topicId);
        const fallbacks = new Map(
          (await properties.list(companyId)).flatMap(({ key, fallback }) =>
            fallback === null ? [] : [[key.toUpperCase(), String(fallback)] as const],
          ),
        );
        const about = { companyId, broadcastId: id, category: topic?.category ?? BROADCASTS, fallbacks };
        const fillFor = fill(content, about);
        const turns = new Turns();
        const people: Addressee[] = [];
        let size = 0;
        // Content is held for all of a page at once, so large content makes pages smaller.
        for (const contact of contacts) {
          if (size > MAX_PAGE_CHARACTERS) break;
          const wants = topic === null || (contact.preferences[topic.category] ?? topic.optIn);
          const filled = contact.unsubscribed || !wants ? null : attempt(() => fillFor(contact));
          people.push({ contact, content, about, topicId, filled });
          const { subject = '', html = '', text = '' } = filled?.content ?? {};
          const length = subject.length + html.length + text.length;
          size += length;
          await turns.after(length);
        }
        const isLast = contacts.length < limit && people.length === contacts.length;
        return { people, cursor: isLast ? null : people.at(-1)!.contact.id };
      },
      // Two broadcasts under way at once must not keep each other from a person.
      key: ({ contact, about }) => `${about.broadcastId} ${contact.id}`,
      email({ contact, content, about, topicId, filled }) {
        if (filled === null) return contact.unsubscribed ? 'unsubscribed' : 'opted_out';
        if (filled.content === null) throw filled.refused;
        const { from, replyTo } = content;
        return {
          ...{
            to: contact.email,
            companyId: about.companyId,
            type: BROADCAST_TYPE,
            category: about.category,
          },
          recipient: { recipientId: contact.id, email: contact.email },
          metadata: { broadcastId: about.broadcastId, ...(topicId !== null && { topicId }) },
          ...(from !== null && { from }),
          ...(replyTo !== null && { replyTo }),
          ...filled.content,
        };
      },
    },
  });
}

/** Of one page; a newsletter of 40 KB fills a page of a hundred people. */
const MAX_PAGE_CHARACTERS = 4 * 1024 ** 2;

interface Addressee {
  contact: Contact;
  content: BroadcastContent;
  about: AboutBroadcast;
  topicId: string | null;
  /** Null for those who do not want it. */
  filled: Filled | null;
}

type Filled = { content: FilledBroadcast } | { content: null; refused: unknown };

/** Content that cannot be filled for one person is that person's error. */
function attempt(fill: () => FilledBroadcast): Filled {
  try {
    return { content: fill() };
  } catch (refused) {
    return { content: null, refused };
  }
}
