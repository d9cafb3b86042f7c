import type { SMTPServerDataStream } from 'smtp-server';
import { refusal } from './smtp-reply.js';

/**
 * Reads messages into memory, each up to a limit and all of them up to another, so that many large ones at once
 * cost replies and not the process. What is over is read to its end and dropped.
 */
export function createReceiver(maxMessageBytes: number): Receiver {
  let inHand = 0;
  return {
    async receive(stream) {
      const chunks: Buffer[] = [];
      let size = 0;
      let held = 0;
      let crowded = false;
      const letGo = () => {
        inHand -= held;
        held = 0;
        chunks.length = 0;
      };
      try {
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          size += chunk.byteLength;
          crowded ||= inHand + chunk.byteLength > MAX_BYTES_IN_HAND;
          if (size > maxMessageBytes || crowded) letGo();
          else {
            chunks.push(chunk);
            held += chunk.byteLength;
            inHand += chunk.byteLength;
          }
        }
        if (size > maxMessageBytes)
          throw refusal(552, `5.3.4 The message is larger than ${maxMessageBytes} bytes`);
        if (crowded) throw refusal(451, '4.3.1 Too many large messages at once; try again');
      } catch (error) {
        letGo();
        throw error;
      }
      return { raw: Buffer.concat(chunks, size), letGo };
    },
  };
}

export interface Receiver {
  /** `letGo` is for when the message is no longer needed. */
  receive(stream: SMTPServerDataStream): Promise<{ raw: Buffer; letGo(): void }>;
}

const MAX_BYTES_IN_HAND = 256 * 1024 ** 2;
