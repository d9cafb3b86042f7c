import type { Notification, SnsVerifier } from '../hooks/index.js';

/** What the routes for reports from outside call. */
export interface HookRoom {
  /** null: no topic is configured. */
  sns: SnsVerifier | null;
  /** null: none is configured. */
  resendSecrets: readonly string[] | null;
  /** With a company only about emails of its own. */
  record(notification: Notification, companyId?: string): Promise<'recorded' | 'known' | 'unknown'>;
  now(): Date;
}
