import { defineSchedule, EVERY_ZONE, type Schedule } from '../define-schedule.js';
import { type FocusContent, focusFromActivity } from './focus-content.js';

/**
 * The four recurring emails to recipients, each at its hour where the person lives, each only to who asked for it.
 * A late one is left out once it would speak of another day.
 */
export interface BuiltInOptions {
  builtIn: readonly string[];
  weeklyFocusDay: string;
  weeklyFocusHour: number;
  reminderHour: number;
  streakWarningHour: number;
  inactivityDay: string;
  inactivityHour: number;
}

export function builtInSchedules(
  options: BuiltInOptions,
  focusContent: FocusContent = focusFromActivity,
): Schedule[] {
  const weeklyFocus = defineSchedule({
    name: 'weekly_focus',
    cron: `0 ${options.weeklyFocusHour} * * ${weekday(options.weeklyFocusDay)}`,
    timeZone: EVERY_ZONE,
    within: '3d',
    campaign: {
      audience: { status: 'active', accountType: 'trial', optedIn: 'weeklyFocus' },
      notAgainForDays: 7,
      recentActivityDays: 7,
      async email(person, occasion) {
        const { topic, summary, tips, actions } = await focusContent(person, occasion);
        return {
          type: 'weekly_focus',
          data: { ...named(person), topic, ...(summary !== undefined && { summary }), tips, actions },
        };
      },
    },
  });
  const reminder = defineSchedule({
    name: 'checkin_reminder',
    cron: `0 ${options.reminderHour} * * *`,
    timeZone: EVERY_ZONE,
    within: '5h',
    campaign: {
      audience: { status: 'active', optedIn: 'reminders', noCheckInToday: true, reminderDue: true },
      notAgainForDays: 1,
      isReminder: true,
      email: (person) => ({
        type: 'checkin_reminder',
        data: { ...named(person), streakDays: person.streakDays },
      }),
    },
  });
  const streakWarning = defineSchedule({
    name: 'streak_warning',
    cron: `0 ${options.streakWarningHour} * * *`,
    timeZone: EVERY_ZONE,
    within: '3h',
    campaign: {
      audience: { status: 'active', optedIn: 'streakWarnings', noCheckInToday: true, streakAtLeast: 3 },
      notAgainForDays: 1,
      email: (person) => ({
        type: 'streak_warning',
        data: { ...named(person), streakDays: person.streakDays },
      }),
    },
  });
  const inactivity = defineSchedule({
    name: 'inactivity',
    cron: `0 ${options.inactivityHour} * * ${weekday(options.inactivityDay)}`,
    timeZone: EVERY_ZONE,
    within: '3d',
    campaign: {
      audience: { status: 'active', optedIn: 'reEngagement', idleDays: IDLE_DAYS },
      notAgainForDays: 14,
      email: (person, { slot }) => {
        const seen = Math.max(Number(person.lastActiveAt), Number(person.lastCheckInAt));
        const since = seen || person.createdAt.getTime();
        const inactiveDays = Math.floor((slot.getTime() - since) / 86_400_000);
        return { type: 'inactivity', data: { ...named(person), inactiveDays } };
      },
    },
  });
  const all = [weeklyFocus, reminder, streakWarning, inactivity];
  return all.filter(({ name }) => options.builtIn.includes(name));
}

const IDLE_DAYS = 7;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function weekday(name: string): number {
  return DAYS.indexOf(name);
}

function named({ name }: { name: string | null }): { name?: string } {
  return name === null ? {} : { name };
}
