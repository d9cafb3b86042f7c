/**
 * What the inbox knows of a message without opening it: what a list shows, and what the wire said.
 * `from` and `to` are the header's; the envelope is what the SMTP client named.
 */
export interface InboxMessage {
  id: string;
  from: string;
  to: string[];
  subject: string;
  /** The Date header as ISO 8601 (or as written, when it is no date); null when absent. */
  date: string | null;
  receivedAt: string;
  size: number;
  messageId: string | null;
  /** The email this message was sent for, taken from a Message-ID of ours (`<uuid@…>`). */
  emailId: string | null;
  attachments: number;
  envelope: Envelope;
}

export interface Envelope {
  from: string;
  to: string[];
}
