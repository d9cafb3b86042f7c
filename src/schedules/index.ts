export {
  BROADCAST_SCHEDULE,
  type Broadcast,
  type BroadcastContent,
  type BroadcastInput,
} from './broadcasts/broadcast.js';
export { type BroadcastScheduleParts, broadcastSchedule } from './broadcasts/broadcast-schedule.js';
export { type Broadcasts, createBroadcasts, type ListedBroadcast } from './broadcasts/create-broadcasts.js';
export type {
  AudiencePage,
  AudienceRequest,
  Campaign,
  CampaignEmail,
  Occasion,
  OwnAudience,
  OwnCampaign,
  Placed,
  QueryCampaign,
} from './campaign.js';
export { type BuiltInOptions, builtInSchedules } from './campaigns/built-in-schedules.js';
export type { Focus, FocusContent } from './campaigns/focus-content.js';
export { type CatchUp, defineSchedule, type Schedule, type ScheduleDeclaration } from './define-schedule.js';
export { forgetOldRuns } from './runs/list-runs.js';
export { forgetOldMarks } from './runs/marks.js';
export { RUN_PAGE_FIELDS, type RunError, type RunState, type ScheduleRun } from './runs/run-record.js';
export { databaseNow } from './scheduler.js';
export { createSchedules, type ScheduleSeen, type Schedules } from './schedules.js';
export { scheduleSettings } from './settings.js';
export { scheduleOf } from './written-schedules.js';
