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
  /** The content for one person. */
  fill(content: BroadcastContent, contact: Contact, about: AboutBroadcast): FilledBroadcast;
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
        return {
          people: contacts.map((contact) => ({
            contact,
            content,
            about,
            topicId,
            wants: topic === null || (contact.preferences[topic.category] ?? topic.optIn),
          })),
          cursor: contacts.length < limit ? null : contacts.at(-1)!.id,
        };
      },
      // Two broadcasts under way at once must not keep each other from a person.
      key: ({ contact, about }) => `${about.broadcastId} ${contact.id}`,
      email({ contact, content, about, topicId, wants }) {
        if (contact.unsubscribed) return 'unsubscribed';
        if (!wants) return 'opted_out';
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
          ...fill(content, contact, about),
        };
      },
    },
  });
}

interface Addressee {
  contact: Contact;
  content: BroadcastContent;
  about: AboutBroadcast;
  topicId: string | null;
  wants: boolean;
}
