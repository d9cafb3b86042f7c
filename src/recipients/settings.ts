import { type SettingRule, type Settings, setting } from '../kernel/index.js';

/** How people tell what they do not want, and how long it is kept what they did. */
export const recipientSettings = {
  recipients: {
    activityDays: setting.integer({
      env: ['POSTRIDER_ACTIVITY_RETENTION_DAYS'],
      default: 400,
      min: 8,
      max: 3650,
      says: 'How many days check-ins and activities of recipients are kept; the days of a streak that goes on stay.',
    }),
  },
  unsubscribe: {
    publicUrl: setting.url({
      env: ['POSTRIDER_PUBLIC_URL'],
      default: null,
      schemes: ['https', 'http'],
      says: 'Where people reach this API from outside; with it emails that can be refused carry links to unsubscribe, and links to attachments name it.',
    }),
    keys: setting.text({
      env: ['POSTRIDER_LINK_KEYS'],
      default: null,
      secret: true,
      form: 'keys of at least 16 characters, separated by commas',
      fits: (keys) => keys.split(',').every((key) => key.trim().length >= 16),
      says: 'The keys that sign these links: the first signs, all are accepted; put a new one in front and keep the old.',
    }),
  },
} satisfies Settings;

export const recipientRules: readonly SettingRule[] = [
  {
    key: 'unsubscribe.publicUrl',
    reads: ['unsubscribe.publicUrl', 'unsubscribe.keys'],
    broken: (get) =>
      get('unsubscribe.publicUrl') !== null && get('unsubscribe.keys') === null
        ? 'needs POSTRIDER_LINK_KEYS, which sign the links that lead there'
        : null,
  },
];
