import type { ReservedName } from '../kernel/index.js';

/** Names kept for when the recurring emails go out. */
export const scheduleReserved: readonly ReservedName[] = [
  { name: 'WEEKLY_FOCUS_DAY', controls: 'The day the weekly focus email is sent (`monday`).' },
  { name: 'WEEKLY_FOCUS_HOUR', controls: 'The hour of that day it is sent, 0 to 23 (`9`).' },
  { name: 'REMINDER_HOUR', controls: 'The hour daily reminders are sent, 0 to 23 (`18`).' },
];
