/** Waits until an email has its final status, which the examples then print. Applications rarely need this. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Postrider } from '../src/index.js';

const WAITING = ['scheduled', 'pending', 'processing', 'retry'];

export async function untilEnded(postrider: Postrider, emailId: string): Promise<string> {
  for (;;) {
    const email = await postrider.get(emailId);
    if (email !== null && !WAITING.includes(email.status)) return email.status;
    await pause(50);
  }
}
