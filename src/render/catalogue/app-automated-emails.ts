/**
 * The emails of the app that nobody sends by hand. They know little of the person: a name may be missing, and a link
 * that is not given leads to the app itself. One that speaks of today is not sent tomorrow.
 */
import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { instant, line, link, paragraph, personName, timeZone } from './data-fields.js';

const DAY = 86_400;
const dayCount = z.int().nonnegative().max(100_000);
const anyone = { name: personName.optional(), unsubscribeUrl: link.optional() };
const someone = { name: 'Ada', unsubscribeUrl: 'https://app.example.com/unsubscribe?token=7f3a91' };

export const weeklyFocus = defineEmail({
  type: 'weekly_focus',
  portal: 'app',
  category: 'weeklyFocus',
  priority: 4,
  rateLimit: { limit: 1, windowSeconds: 7 * DAY },
  expiresIn: '3d',
  data: z.strictObject({
    ...anyone,
    topic: line(100),
    summary: paragraph.optional(),
    tips: z.array(z.string().min(1).max(500)).max(10),
    actions: z.array(z.strictObject({ title: line(200), url: link.optional() })).max(10),
    openUrl: link.optional(),
  }),
  sample: {
    ...someone,
    topic: 'Listening',
    summary: 'You met your circle twice last week. This week, try to speak last.',
    tips: ['Ask one question before you answer.', 'Write down what surprised you.'],
    actions: [
      { title: 'Read the notes of your last meeting', url: 'https://app.example.com/notes/7' },
      { title: 'Thank someone who helped you' },
    ],
    openUrl: 'https://app.example.com/focus',
  },
  moreSamples: { quiet: { topic: 'Rest', tips: [], actions: [] } },
});

export const checkinReminder = defineEmail({
  type: 'checkin_reminder',
  portal: 'app',
  category: 'reminders',
  priority: 4,
  rateLimit: { limit: 1, windowSeconds: DAY },
  expiresIn: '6h',
  data: z.strictObject({ ...anyone, streakDays: dayCount, checkinUrl: link.optional() }),
  sample: { ...someone, streakDays: 12, checkinUrl: 'https://app.example.com/checkin' },
  moreSamples: { 'no streak': { streakDays: 0 }, 'first day': { streakDays: 1 } },
});

export const streakWarning = defineEmail({
  type: 'streak_warning',
  portal: 'app',
  category: 'streakWarnings',
  priority: 4,
  rateLimit: { limit: 1, windowSeconds: DAY },
  expiresIn: '4h',
  data: z.strictObject({ ...anyone, streakDays: dayCount.min(1), checkinUrl: link.optional() }),
  sample: { ...someone, streakDays: 21, checkinUrl: 'https://app.example.com/checkin' },
});

export const inactivity = defineEmail({
  type: 'inactivity',
  portal: 'app',
  category: 'reEngagement',
  priority: 4,
  rateLimit: { limit: 1, windowSeconds: 14 * DAY },
  expiresIn: '7d',
  data: z.strictObject({ ...anyone, inactiveDays: dayCount.min(1), openUrl: link.optional() }),
  sample: { ...someone, inactiveDays: 9, openUrl: 'https://app.example.com' },
});

/** What someone asked to be reminded of. */
export const reminder = defineEmail({
  type: 'reminder',
  portal: 'app',
  category: 'reminders',
  priority: 4,
  rateLimit: { limit: 1, windowSeconds: DAY },
  expiresIn: '1d',
  data: z.strictObject({
    ...anyone,
    title: line(100),
    note: paragraph.optional(),
    due: z.strictObject({ at: instant, timeZone }).optional(),
    url: link.optional(),
  }),
  sample: {
    ...someone,
    title: 'Return the library book',
    note: 'It is on the shelf by the door.',
    due: { at: '2030-05-14T16:00:00Z', timeZone: 'Europe/Berlin' },
    url: 'https://app.example.com/reminders/3',
  },
});
