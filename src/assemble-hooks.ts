import type { Config } from './config.js';
import { createSnsVerifier, type FetchText, type Notification } from './doors/hooks/index.js';
import type { HookRoom } from './doors/http/hook-room.js';
import { type Clock, isEmailAddress, isSameAddress, killPoint } from './kernel/index.js';
import { findReported, noteNotification, type ReportedEmail } from './outbox/index.js';
import type { Suppressions } from './recipients/index.js';
import type { Database } from './store/index.js';

/** What others report about emails, put on their timelines; those who cannot or will not get mail are suppressed. */
export function assembleHooks(
  config: Config,
  parts: {
    database: () => Promise<Database>;
    suppressions: Suppressions;
    clock: Clock;
    fetchText?: FetchText | undefined;
  },
): HookRoom {
  const { clock, fetchText } = parts;
  const listed = (setting: string | null) => setting?.split(',').map((one) => one.trim()) ?? null;
  const topics = listed(config.hooks.sesTopics);
  return {
    sns: topics && createSnsVerifier({ topics, clock, ...(fetchText && { fetchText }) }),
    resendSecrets: listed(config.hooks.resendSecrets),
    now: () => new Date(clock.now()),
    async record(notification, companyId) {
      const database = await parts.database();
      return database.transaction(async (tx) => {
        const { about, source } = notification;
        const which = 'emailId' in about ? about : { ...about, provider: source };
        const email = await findReported(tx, which, companyId ?? null);
        if (!email) return 'unknown';
        const concerned = recipientsOf(notification, email);
        const isNew = await noteNotification(tx, {
          emailId: email.emailId,
          type: notification.type,
          at: notification.at,
          detail: { ...notification.detail, ...(concerned.length > 0 && { recipients: concerned }) },
          key: [source, notification.id, notification.type, ...notification.recipients],
        });
        killPoint('hooks:noted');
        // One that comes again must not undo what an operator has lifted since.
        if (!isNew) return 'known';
        const { suppress: reason } = notification;
        if (reason !== null && concerned.length > 0)
          await parts.suppressions.add(
            concerned.map((address) => ({ email: address, reason, emailId: email.emailId, note: source })),
            { companyId: email.tenant, tx },
          );
        return 'recorded';
      });
    },
  };
}

/**
 * Only those the email was written to: a report is not believed about anyone else. One that names nobody, or an address
 * the mail was forwarded to, means the recipient of an email that has only one.
 */
function recipientsOf({ recipients }: Notification, email: ReportedEmail): string[] {
  const ours = email.recipients.filter(
    (address) => isEmailAddress(address) && recipients.some((one) => isSameAddress(one, address)),
  );
  if (ours.length > 0) return ours;
  return email.recipients.length === 1 ? email.recipients : [];
}
