import { type Settings, setting } from '../kernel/index.js';
import { isTimeZone } from './slots/wall-time.js';
import { parseWrittenSchedules, type WrittenSchedule } from './written-schedules.js';

/** When the recurring emails go out. */
const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
export const BUILT_IN = ['weekly_focus', 'checkin_reminder', 'streak_warning', 'inactivity'] as const;

const hour = (name: string, usual: number, says: string) =>
  setting.integer({ env: [name], default: usual, min: 0, max: 23, says });

export const scheduleSettings = {
  schedules: {
    builtIn: setting.list([...BUILT_IN, 'none'], {
      env: ['POSTRIDER_SCHEDULES'],
      default: BUILT_IN,
      says: 'Which of the recurring emails to recipients are sent; `none` for none.',
    }),
    own: setting.structure<readonly WrittenSchedule[]>({
      env: ['POSTRIDER_OWN_SCHEDULES'],
      default: null,
      form: 'a list of schedules',
      says: 'Further recurring emails to recipients: when, to whom, and which type; see SCHEDULES.md.',
      parse: parseWrittenSchedules,
      show: (value) => value.map(({ name, cron }) => `${name} (${cron ?? 'by hand'})`).join(', '),
    }),
    timeZone: setting.text({
      env: ['POSTRIDER_TIME_ZONE'],
      default: 'UTC',
      form: 'the name of a time zone such as Europe/Berlin',
      fits: isTimeZone,
      says: 'Where recipients live of whom it is not known, and schedules that name no time zone.',
    }),
    weeklyFocusDay: setting.choice(DAYS, {
      env: ['WEEKLY_FOCUS_DAY'],
      default: 'monday',
      says: 'The day the weekly focus email is sent.',
    }),
    weeklyFocusHour: hour('WEEKLY_FOCUS_HOUR', 9, 'The hour of that day, where the recipient lives.'),
    reminderHour: hour(
      'REMINDER_HOUR',
      18,
      'The hour check-in reminders are sent, where the recipient lives.',
    ),
    streakWarningHour: hour(
      'POSTRIDER_STREAK_WARNING_HOUR',
      20,
      'The hour streak warnings are sent, where the recipient lives.',
    ),
    inactivityDay: setting.choice(DAYS, {
      env: ['POSTRIDER_INACTIVITY_DAY'],
      default: 'wednesday',
      says: 'The day people who have been away are written to.',
    }),
    inactivityHour: hour('POSTRIDER_INACTIVITY_HOUR', 10, 'The hour of that day, where the recipient lives.'),
  },
} satisfies Settings;
