import { askEach, away, type RegionReply } from './ask-regions.js';
import type { EmailLogs } from './email-logs.js';
import { newRecord, PostriderError } from './kernel/index.js';
import type { MergedLog, MergedPage, RegionAnswer } from './regions-contract.js';
import type { EmailStats } from './views/index.js';

/**
 * One list out of those of several regions. Ids carry their time, so the same cursor holds in every region: each gives
 * its newest below it, and the newest of those are the page. Nothing is kept between two pages. A region that does
 * not answer is named; its emails above the cursor are then missing from the pages that follow too.
 */
export function mergeEmailLists(
  regions: readonly string[],
  logsOf: (region: string) => Pick<EmailLogs, 'list' | 'log'>,
): { list(filter?: object): Promise<MergedPage>; log(filter?: object): Promise<MergedLog> } {
  return {
    async list(filter = {}) {
      const replies = await Promise.all(askEach(regions, (region) => logsOf(region).list(filter)));
      return merge(replies, sizeOf(filter));
    },
    async log(filter = {}) {
      if ('page' in filter && filter.page !== undefined)
        throw new PostriderError('INVALID_PAYLOAD', 'page counts in one region; a cursor leads on in all.', {
          field: 'page',
        });
      const replies = await Promise.all(askEach(regions, (region) => logsOf(region).log(filter)));
      const limit = sizeOf(filter);
      const stats = replies.flatMap(({ reply }) => (reply.ok ? [reply.answer.stats] : []));
      return { ...merge(replies, limit), limit, stats: sum(stats) };
    },
  };
}

/** As the regions themselves read it, who have refused what is no number by then. */
function sizeOf(filter: { limit?: unknown }): number {
  return typeof filter.limit === 'number' ? filter.limit : USUAL_LIMIT;
}

const USUAL_LIMIT = 50;

interface Page<Email> {
  emails: Email[];
  nextCursor: string | null;
}

function merge<Email extends { id: string }>(
  replies: ReadonlyArray<RegionReply<Page<Email>>>,
  limit: number,
): {
  emails: Array<Email & { region: string }>;
  nextCursor: string | null;
  complete: boolean;
  regions: RegionAnswer[];
} {
  const regions = replies.map(({ region, reply }) =>
    reply.ok ? { region, ok: true } : { region, ok: false, code: reply.code },
  );
  if (!regions.some(({ ok }) => ok)) throw away('No region answers.');
  const pages = replies.flatMap(({ region, reply }) => (reply.ok ? [{ region, ...reply.answer }] : []));
  const all = pages
    .flatMap(({ region, emails }) => emails.map((email) => ({ ...email, region })))
    .sort((a, b) => (a.id < b.id ? 1 : -1));
  const emails = all.slice(0, limit);
  const more = emails.length < all.length || pages.some((page) => page.nextCursor !== null);
  return {
    emails,
    nextCursor: more ? (emails.at(-1)?.id ?? null) : null,
    complete: regions.every(({ ok }) => ok),
    regions,
  };
}

function sum(all: readonly EmailStats[]): EmailStats {
  const total: EmailStats = { totalSent: 0, totalFailed: 0, failureRate: 0, byType: newRecord() };
  for (const stats of all) {
    total.totalSent += stats.totalSent;
    total.totalFailed += stats.totalFailed;
    for (const [type, { sent, failed }] of Object.entries(stats.byType)) {
      const known = total.byType[type] ?? { sent: 0, failed: 0 };
      total.byType[type] = { sent: known.sent + sent, failed: known.failed + failed };
    }
  }
  const ended = total.totalSent + total.totalFailed;
  if (ended > 0) total.failureRate = Math.round((total.totalFailed / ended) * 10_000) / 100;
  return total;
}
