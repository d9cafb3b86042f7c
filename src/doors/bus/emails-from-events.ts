import type { BusEvent, EventHandler } from '../../events/index.js';
import { isPostriderError, killPoint } from '../../kernel/index.js';
import type { EventEmails } from './event-emails.js';
import { fillPattern } from './fill-pattern.js';

/**
 * Handlers that start emails from events of other services: all emails of an event or none, once per event. What cannot
 * be accepted is answered with the status of its error, so that it is retried and ends among the dead letters with the
 * reason.
 */
export type TakeEmails = (
  event: BusEvent & { id: string },
  emails: ReadonlyArray<Record<string, unknown>>,
) => Promise<void>;

export function emailsFromEvents(
  emails: EventEmails,
  take: TakeEmails,
): Array<[type: string, handler: EventHandler]> {
  return Object.entries(emails).map(([type, said]) => [
    type,
    async (event) => {
      const patterns = [said].flat();
      const { id } = event;
      if (id === null)
        return { status: 400, error: 'the event has no id, so it could start an email twice', field: 'id' };
      const filled = patterns.map((pattern) => fillPattern(pattern, event));
      const missing = filled.flatMap((one) => ('missing' in one ? one.missing : []));
      if (missing.length > 0)
        return { status: 422, error: `the event has no ${missing.join(', ')}`, field: missing[0]! };
      try {
        await take(
          { ...event, id },
          filled.flatMap((one) => ('email' in one ? [one.email] : [])),
        );
        killPoint('bus:taken');
        return 200;
      } catch (error) {
        if (!isPostriderError(error)) throw error;
        const { status, code, field } = error;
        return { status, error: `${code}: ${error.message}`, ...(field !== undefined && { field }) };
      }
    },
  ]);
}
