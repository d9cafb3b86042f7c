import { delay, systemClock } from './kernel/index.js';
import type { EmailLog } from './views/index.js';

/** Waits until no email is under way or due; one that still is after ten seconds is an error that names it. */
export async function delayUntilIdle(emails: () => Promise<EmailLog[]>, now: () => number): Promise<void> {
  const until = systemClock.monotonic() + PATIENCE_MS;
  for (;;) {
    const due = (await emails()).find((email) => isDue(email, now()));
    if (!due) return;
    if (systemClock.monotonic() > until)
      throw new Error(
        `The email ${due.id} to ${due.to} is still ${due.status} after ${PATIENCE_MS / 1000} s.`,
      );
    await delay(LOOK_EVERY_MS);
  }
}

function isDue(email: EmailLog, now: number): boolean {
  switch (email.status) {
    case 'pending':
      return !email.parked;
    case 'processing':
      return true;
    case 'scheduled':
      return !email.parked && email.scheduledAt !== null && Date.parse(email.scheduledAt) <= now;
    case 'retry':
      return !email.parked && email.nextAttemptAt !== null && Date.parse(email.nextAttemptAt) <= now;
    default:
      return false;
  }
}

const PATIENCE_MS = 10_000;
const LOOK_EVERY_MS = 10;
