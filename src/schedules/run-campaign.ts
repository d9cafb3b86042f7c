import { isPostriderError, killPoint, type Logger, messageOf, type PostriderError } from '../kernel/index.js';
import { markReminded } from '../recipients/index.js';
import { type Database, isStoreAway, type Queryable } from '../store/index.js';
import { type AudienceSource, type Candidate, openSource, type SourcePage } from './audience-source.js';
import type { CampaignEmail } from './campaign.js';
import { EVERY_ZONE, type Schedule } from './define-schedule.js';
import { notAgainSince } from './moment-of.js';
import { findMarks, setMarks } from './runs/marks.js';
import { lockRun, type RunPosition, saveRun, saveTotal } from './runs/run-page.js';
import type { RunError } from './runs/run-record.js';
import type { TakenRun } from './runs/take-run.js';

/**
 * Takes a run from where it stands to its end. The emails of a page, the marks of those who got one and the cursor are
 * one transaction: whatever dies, everyone in the audience gets exactly one. Holds one page at a time.
 */
export interface RunCampaignOptions {
  database: Database;
  defaultZone: string;
  acceptEach(
    inputs: readonly unknown[],
    options: { tx: Queryable; requestId: string; paceSeconds?: number },
  ): Promise<Acceptance[]>;
  /** Makes HTML of what a campaign gives as a React element. */
  rendered(email: CampaignEmail): Promise<CampaignEmail>;
  logger: Logger;
  now(database: Queryable): Promise<number>;
  /** True when the process is to stop: after the page at hand. */
  stopping(): boolean;
}

export type Acceptance = { refused: null } | { refused: PostriderError };

/** `lost`: over, paused, or another process is at it. */
export type RunEnd = 'done' | 'expired' | 'stopped' | 'lost';

export const PAGE_SIZE = 100;
/** Content is tens of kilobytes an email, and this is how many are held with it. */
const RENDERED_AT_ONCE = 20;

export async function runCampaign(
  schedule: Schedule,
  run: TakenRun,
  options: RunCampaignOptions,
): Promise<RunEnd> {
  const { database } = options;
  const { runId, zone, slot } = run;
  const occasion = { schedule: schedule.name, runId, zone, slot };
  const open = (cursor: string | null) =>
    openSource(database, {
      campaign: schedule.campaign,
      occasion,
      cursor,
      limit: PAGE_SIZE,
      perZone: schedule.timeZone === EVERY_ZONE,
      defaultZone: options.defaultZone,
    });
  let { cursor } = run;
  let source: AudienceSource | null = null;
  try {
    for (;;) {
      if (options.stopping()) return 'stopped';
      source ??= await open(cursor);
      if (run.total === null && cursor === null) {
        const total = await source.count();
        if (total !== null) await saveTotal(database, runId, total);
      }
      const page = await source.next();
      const made = await Promise.all(page.people.map((person) => make(person, options)));
      killPoint('schedules:page-made');
      const late =
        schedule.withinMs !== null && (await options.now(database)) > slot.getTime() + schedule.withinMs;
      const written = await database.transaction((tx) =>
        writePage(tx, { schedule, run, page, made, from: cursor, late }, options),
      );
      killPoint('schedules:page-committed');
      if (written === null) return 'lost';
      if (late) return 'expired';
      if (page.last) return 'done';
      cursor = page.cursor;
    }
  } finally {
    await source?.close();
  }
}

type Made = { candidate: Candidate } & (
  | { email: CampaignEmail }
  | { skip: string }
  | { error: Omit<RunError, 'recipientId'> }
);

/** What an application's own code does wrong for one person is that person's error. */
async function make(candidate: Candidate, options: RunCampaignOptions): Promise<Made> {
  try {
    const email = await candidate.make();
    if (email === null) return { candidate, skip: 'nothing_to_send' };
    if (typeof email === 'string') return { candidate, skip: email };
    return { candidate, email: { priority: 4, ...candidate.envelope, ...(await options.rendered(email)) } };
  } catch (error) {
    if (isStoreAway(error)) throw error;
    return { candidate, error: errorOf(error) };
  }
}

interface PageWork {
  schedule: Schedule;
  run: TakenRun;
  page: SourcePage;
  made: readonly Made[];
  from: string | null;
  late: boolean;
}

async function writePage(
  tx: Queryable,
  work: PageWork,
  options: RunCampaignOptions,
): Promise<RunPosition | null> {
  const { schedule, run, page, from, late } = work;
  const at = await lockRun(tx, run.runId);
  if (at === null || at.cursor !== from) return null;
  if (late) {
    await saveRun(tx, run.runId, at, 'expired');
    return at;
  }
  const skip = (reason: string, count = 1) => {
    at.skipped[reason] = (at.skipped[reason] ?? 0) + count;
  };
  const fail = (recipientId: string, error: Omit<RunError, 'recipientId'>) => {
    at.errorCount += 1;
    at.errors.push({ recipientId, ...error });
  };
  for (const [reason, count] of Object.entries(page.skipped)) skip(reason, count);
  const ready = new Map<string, { candidate: Candidate; email: CampaignEmail }>();
  for (const made of work.made) {
    if ('skip' in made) skip(made.skip);
    else if ('error' in made) fail(made.candidate.key, made.error);
    else if (ready.has(made.candidate.key)) skip('already_sent');
    else ready.set(made.candidate.key, made);
  }
  const marks = await findMarks(tx, schedule.name, [...ready.keys()]);
  const { notAgainForDays } = schedule.campaign;
  const since = notAgainForDays === undefined ? null : notAgainSince(run.slot, run.zone, notAgainForDays);
  for (const [key, slot] of marks) {
    if (slot < run.slot && (since === null || slot < since)) continue;
    ready.delete(key);
    skip(slot >= run.slot ? 'already_sent' : 'sent_recently');
  }
  const going = [...ready.values()];
  const pace = notAgainForDays === undefined ? {} : { paceSeconds: notAgainForDays * 86_400 };
  const answers: Acceptance[] = [];
  for (let start = 0; start < going.length; start += RENDERED_AT_ONCE) {
    const some = going.slice(start, start + RENDERED_AT_ONCE).map(({ email }) => email);
    answers.push(...(await options.acceptEach(some, { tx, requestId: run.runId, ...pace })));
  }
  const queued = going.filter(({ candidate }, index) => {
    const refused = answers[index]?.refused ?? null;
    if (refused === null) return true;
    if (SKIPPED.has(refused.code)) skip(refused.code.toLowerCase());
    else fail(candidate.key, errorOf(refused));
    return false;
  });
  const keys = queued.map(({ candidate }) => candidate.key);
  // Another run has written to one of them since they were looked up: this page is done again, without them.
  if (!(await setMarks(tx, schedule.name, keys, run.slot))) throw new PageOvertaken();
  if ('isReminder' in schedule.campaign && schedule.campaign.isReminder)
    await markReminded(tx, keys, run.slot);
  at.queued += queued.length;
  at.lookedAt += page.lookedAt;
  at.cursor = page.cursor;
  await saveRun(tx, run.runId, at, page.last ? 'done' : null);
  killPoint('schedules:page-written');
  return at;
}

/** Rolls the page back. */
export class PageOvertaken extends Error {
  constructor() {
    super('two runs of the schedule met in one person');
  }
}

/** Refusals that say something about the person, not about the email. */
const SKIPPED: ReadonlySet<string> = new Set([
  'RECIPIENT_NOT_ALLOWED',
  'RECIPIENT_NOT_FOUND',
  'RATE_LIMITED',
  'SUPPRESSED',
  'QUOTA_EXCEEDED',
]);

function errorOf(error: unknown): Omit<RunError, 'recipientId'> {
  return {
    code: isPostriderError(error) ? error.code : 'INTERNAL',
    message: messageOf(error).slice(0, MAX_MESSAGE),
  };
}

const MAX_MESSAGE = 200;
