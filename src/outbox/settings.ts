import { type SettingRule, type Settings, setting } from '../kernel/index.js';
import { USUAL_SENSITIVE_HOURS } from './prune.js';

/**
 * Three years. Each week is four tables that a list plans and every connection keeps: half a megabyte a week, and a
 * page of the list costs twice as much with twice the weeks (`npm run bench -- growth`).
 */
const MOST_DAYS = 1100;

/** Whose an email is when nobody says, and how long it is kept. */
export const outboxSettings = {
  email: {
    defaultCompany: setting.text({
      env: ['POSTRIDER_DEFAULT_COMPANY'],
      default: 'default',
      says: 'The tenant of an email that names no `companyId`.',
    }),
  },
  retention: {
    contentDays: setting.integer({
      env: ['POSTRIDER_CONTENT_RETENTION_DAYS'],
      default: 30,
      min: 1,
      max: MOST_DAYS,
      says: "How many days an email's content is kept after its final state.",
    }),
    logDays: setting.integer({
      env: ['POSTRIDER_LOG_RETENTION_DAYS'],
      default: 90,
      min: 1,
      max: MOST_DAYS,
      says: "How many days an email's log and events are kept after its final state.",
    }),
    sentBodyHours: setting.integer({
      env: ['POSTRIDER_SENT_BODY_RETENTION_HOURS'],
      default: null,
      min: 1,
      max: 87_600,
      says: 'How many hours the content of a sent email is kept, where it should go sooner than the rest.',
    }),
    sensitiveBodyHours: setting.integer({
      env: ['POSTRIDER_SENSITIVE_BODY_RETENTION_HOURS'],
      default: USUAL_SENSITIVE_HOURS,
      min: 1,
      max: 87_600,
      says: 'How many hours the content of a sensitive email that failed is kept for another try; past its `expiresAt` it goes sooner.',
    }),
  },
} satisfies Settings;

export const outboxRules: readonly SettingRule[] = [
  {
    key: 'retention.logDays',
    reads: ['retention.logDays', 'retention.contentDays'],
    broken: (get) =>
      Number(get('retention.logDays')) < Number(get('retention.contentDays'))
        ? 'must not be shorter than retention.contentDays, since content cannot outlive its log'
        : null,
  },
];
