/**
 * What others publish to the queue of emails to send, and what became of it. The engine carries it; the amqp
 * door judges it.
 */
export interface ForeignMessage {
  /** As the publisher gave it; the same id is the same message. */
  messageId: string | null;
  correlationId: string | null;
  contentEncoding: string | null;
  /** As it came, whatever it is declared to be. */
  body: Buffer;
  /** The email whose dead letter somebody put back into the queue; null for everything else. */
  deadLetterOf: string | null;
}

export type ForeignAnswer =
  | { kind: 'done' }
  /** For good, to the dead letters. */
  | { kind: 'refused'; code: string; message: string; field?: string; stack?: string }
  /** For now; it stays in the queue. With a `code` it may be the message's own fault: not for ever. */
  | { kind: 'later'; message: string; code?: string; stack?: string };

export type ReceiveForeign = (message: ForeignMessage) => Promise<ForeignAnswer>;
