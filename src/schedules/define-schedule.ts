import { PostriderError, refuseUnknownKeys } from '../kernel/index.js';
import { AUDIENCE_CRITERIA } from '../recipients/index.js';
import type { Campaign, OwnCampaign, QueryCampaign } from './campaign.js';
import { checkCron } from './slots/cron-slots.js';
import { isTimeZone } from './slots/wall-time.js';

/**
 * Declares when a campaign goes out. It promises one run per slot, however many processes have the same declaration;
 * a name is what its slots, pauses and marks are kept under, so it stays when the rest changes.
 */
export function defineSchedule(declaration: ScheduleDeclaration<QueryCampaign>): Schedule;
export function defineSchedule<Person>(declaration: ScheduleDeclaration<OwnCampaign<Person>>): Schedule;
export function defineSchedule(declaration: ScheduleDeclaration<Campaign>): Schedule {
  refuseUnknownKeys(declaration, KEYS, 'INVALID_CONFIG');
  const { name, cron, timeZone = null, catchUp = 'last', within, campaign } = declaration;
  if (!NAME.test(name)) throw invalid(name, 'must be a letter and up to 63 letters, digits, hyphens or dots');
  if (cron !== null) checkCron(cron);
  if (timeZone !== null && timeZone !== EVERY_ZONE && !isTimeZone(timeZone))
    throw invalid(name, `has ${timeZone} for a time zone, which does not exist`);
  if (!CATCH_UPS.includes(catchUp)) throw invalid(name, `catches up ${CATCH_UPS.join(', ')}, not ${catchUp}`);
  const withinMs = within === undefined ? null : readDuration(within);
  if (withinMs !== null && !(withinMs >= 60_000)) throw invalid(name, 'has a within that is not like "6h"');
  if (timeZone === EVERY_ZONE && typeof campaign.audience === 'function')
    throw invalid(name, 'runs in the time zones of recipients, so its audience must be a query over them');
  if (typeof campaign.audience !== 'function')
    refuseUnknownKeys(campaign.audience, AUDIENCE_CRITERIA, 'INVALID_CONFIG');
  const { notAgainForDays } = campaign;
  if (notAgainForDays !== undefined && !(Number.isSafeInteger(notAgainForDays) && notAgainForDays > 0))
    throw invalid(name, 'has a notAgainForDays that is not a whole number of days');
  return Object.freeze({ name, cron, timeZone, catchUp, withinMs, campaign });
}

export interface ScheduleDeclaration<C = Campaign> {
  name: string;
  /** Five fields, read against the clock on the wall; null fires only when told to. */
  cron: string | null;
  /** An IANA name, or `recipient` for one run per zone people live in. Defaults to the setting schedules.timeZone. */
  timeZone?: string;
  /** What of the slots missed while nothing ran is made up for. Defaults to last. */
  catchUp?: CatchUp;
  /** How long after its slot a run may still begin or go on: milliseconds, or text such as 90m, 6h, 2d. Defaults to for ever. */
  within?: number | string;
  campaign: C;
}

export interface Schedule {
  readonly name: string;
  readonly cron: string | null;
  readonly timeZone: string | null;
  readonly catchUp: CatchUp;
  readonly withinMs: number | null;
  readonly campaign: Campaign;
}

export type CatchUp = 'none' | 'last' | 'all';

/** In place of a zone: each of those recipients live in. */
export const EVERY_ZONE = 'recipient';

const KEYS = ['name', 'cron', 'timeZone', 'catchUp', 'within', 'campaign'];
const CATCH_UPS: readonly string[] = ['none', 'last', 'all'];
const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readDuration(input: number | string): number {
  if (typeof input === 'number') return input;
  const [, count, unit] = /^(\d{1,6})([mhd])$/.exec(input) ?? [];
  return count === undefined || unit === undefined ? Number.NaN : Number(count) * UNITS[unit]!;
}

function invalid(name: string, problem: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', `The schedule ${name} ${problem}.`, { field: 'schedules' });
}
