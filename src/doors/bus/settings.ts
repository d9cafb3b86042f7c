import { type SettingRule, type Settings, setting } from '../../kernel/index.js';
import { type EventEmails, parseEventEmails } from './event-emails.js';

/** Which events of other services start emails, and what a bus does not go with. */
export const eventEmailSettings = {
  bus: {
    emails: setting.structure<EventEmails>({
      env: ['POSTRIDER_BUS_EMAILS'],
      default: null,
      secret: false,
      form: 'emails by type of event',
      says: 'Which events of other services start which emails; see BUS.md.',
      parse: parseEventEmails,
      show: (emails) => Object.keys(emails).join(', '),
    }),
  },
} satisfies Settings;

export const busRules: readonly SettingRule[] = [
  {
    key: 'bus.emails',
    reads: ['bus.emails', 'bus.url'],
    broken: (get) =>
      get('bus.emails') !== null && get('bus.url') === null ? 'needs bus.url, where events come from' : null,
  },
];
