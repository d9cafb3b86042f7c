/** One email to everyone of a segment, with what became of it. */
export interface Broadcast {
  id: string;
  name: string;
  segmentId: string | null;
  topicId: string | null;
  content: BroadcastContent;
  /** `queued` from the moment it is told to go until everyone's email is written. */
  status: 'draft' | 'queued' | 'sent';
  scheduledAt: string | null;
  sentAt: string | null;
  createdAt: string;
}

export interface BroadcastContent {
  from: string | null;
  replyTo: string[] | null;
  subject: string | null;
  previewText: string | null;
  html: string | null;
  text: string | null;
}

/** A field left out stays as it is. */
export interface BroadcastInput extends Partial<BroadcastContent> {
  name?: string;
  segmentId?: string | null;
  topicId?: string | null;
}

/** The schedule under whose name their runs are kept; the broadcast's id stands where others have a time zone. */
export const BROADCAST_SCHEDULE = 'postrider.broadcasts';

/** What kind of email the log calls them. */
export const BROADCAST_TYPE = 'broadcast';
