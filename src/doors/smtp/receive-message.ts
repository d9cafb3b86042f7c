import { createHash } from 'node:crypto';
import type { SMTPServerDataStream } from 'smtp-server';
import { GrowingBuffer } from '../../mime/index.js';
import { BytesInHand } from './bytes-in-hand.js';
import { refusal } from './smtp-reply.js';
import { WireForm } from './wire-form.js';

/**
 * Reads messages into memory, each up to a limit and all of them up to another, so that many large ones at once
 * cost replies and not the process. What is over, or is no message, is read to its end and dropped. What has to be
 * found in all bytes of a message is found while they come.
 */
export function createReceiver(maxMessageBytes: number): Receiver {
  const inHand = new BytesInHand(MAX_BYTES_IN_HAND);
  return {
    async receive(stream, { key, declaredBytes = 0 }) {
      const message = new Arriving(inHand, { key, maxBytes: maxMessageBytes, declaredBytes });
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) message.add(chunk);
        return message.whole();
      } catch (error) {
        message.letGo();
        throw error;
      }
    },
  };
}

export interface Receiver {
  receive(
    stream: SMTPServerDataStream,
    from: {
      /** Whose message it is. */
      key: string;
      /** What the client said it would be. */
      declaredBytes?: number;
    },
  ): Promise<Received>;
}

export interface Received {
  size: number;
  /** SHA-256 of the message, in hex. */
  digest: string;
  /** The message, once: what reads it may use up its bytes. */
  takeRaw(): Buffer;
  /** For when nothing of the message is needed any more. */
  letGo(): void;
}

const MAX_BYTES_IN_HAND = 256 * 1024 ** 2;

class Arriving {
  private readonly buffer: GrowingBuffer;
  private readonly form = new WireForm();
  private readonly hash = createHash('sha256');
  private size = 0;
  private held = 0;
  private refused: { error: unknown } | null = null;

  constructor(
    private readonly inHand: BytesInHand,
    private readonly limits: { key: string; maxBytes: number; declaredBytes: number },
  ) {
    this.buffer = new GrowingBuffer(Math.min(limits.declaredBytes, limits.maxBytes));
  }

  add(chunk: Buffer): void {
    const { maxBytes } = this.limits;
    this.size += chunk.length;
    if (this.size > maxBytes) this.refuse(refusal(552, `5.3.4 The message is larger than ${maxBytes} bytes`));
    if (this.refused) return;
    try {
      this.take(chunk);
    } catch (error) {
      this.refuse(error);
    }
  }

  whole(): Received {
    if (this.refused) throw this.refused.error;
    this.form.end();
    return {
      size: this.size,
      digest: this.hash.digest('hex'),
      takeRaw: () => this.buffer.take(),
      letGo: () => this.letGo(),
    };
  }

  letGo(): void {
    this.inHand.release(this.limits.key, this.held);
    this.held = 0;
    this.buffer.clear();
  }

  private take(chunk: Buffer): void {
    this.form.check(chunk);
    if (!this.inHand.hold(this.limits.key, chunk.length, this.held))
      throw refusal(451, '4.3.1 Too many large messages at once; try again');
    this.held += chunk.length;
    this.buffer.add(chunk);
    this.hash.update(chunk);
  }

  /** The rest is read all the same: the client hears nothing before its message ends. */
  private refuse(error: unknown): void {
    this.refused = { error };
    this.letGo();
  }
}
