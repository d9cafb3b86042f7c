import { type Clock, delay, type Logger } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { logEpoch, recognizeEpoch } from './server-epoch.js';

/**
 * Who is dead. A worker that took its session lock in this epoch of the server is, when that session is gone and its beat
 * has not changed for 1.2 s; any worker is when its beat has not changed for 10 s (30 s behind a pooler that shares
 * sessions). How long a beat has not changed is measured by this process's monotonic clock, because the server's may be
 * stepped. The lock is read in pg_locks and never tried: trying it would look alive to the next reader.
 */
export interface DeadWorker {
  id: number;
  lease: number;
  /** The beat it was judged by: one that has beaten since is alive. Null where that was not asked. */
  beat: string | null;
  /** The epoch it was judged in; in another one it is judged again. */
  epoch: string | null;
  /** Its process is gone. One that is silent and holds its session is frozen or cut off; one that ended in order is no crash. */
  died: boolean;
}

export interface Look {
  dead: DeadWorker[];
  /** Workers whose session is gone and who count as dead after a while. */
  dying: Array<{ instance: string; inMs: number }>;
}

export const SESSION_LOCK_CLASS = 7708;
const DEAD_AFTER_MS = 1200;
const SILENT_AFTER_MS = 10_000;
const SHARED_SILENT_AFTER_MS = 30_000;
/** The time between two beats: for so much of the age of one that is seen for the first time the server's clock is believed. */
const BEAT_MS = 500;
/** A process that has not looked for so long was frozen or cut off itself: that time says little about others. */
const ABSENT_MS = 3000;

export interface WorkerWatchOptions {
  database: Database;
  /** The worker that looks: it is not judged. */
  self: () => number;
  clock: Clock;
  logger: Logger;
}

export class WorkerWatch {
  private seen = new Map<number, Seen>();
  private epoch: string | null = null;
  private lookedAt: number | null = null;

  constructor(private readonly options: WorkerWatchOptions) {}

  async look(): Promise<Look> {
    const { clock, database, logger, self } = this.options;
    const began = clock.monotonic();
    const recognized = await recognizeEpoch(database, database.kind);
    logEpoch(recognized, logger);
    const epoch = recognized.id;
    const { rows } = await database.query<WorkerRow>(WORKERS, [self()]);
    const sinceMs = this.lookedAt === null ? null : began - this.lookedAt;
    this.notice(rows, epoch, sinceMs);
    this.lookedAt = clock.monotonic();
    // A fleet in good health costs nothing: only where a beat was missed it is asked whether the session is there.
    const missedMs = sinceMs === null ? 0 : BEAT_MS;
    const gone = await this.withoutSession(
      rows.filter(
        ({ id, ended, shared, epoch: its }) =>
          !ended && !shared && its === epoch && this.seen.get(id)!.silentMs >= missedMs,
      ),
    );
    return this.judge(rows, epoch, gone);
  }

  /** At the start of a worker: one of the same name whose session is gone is waited for until it counts as dead. */
  async deadAtStart(instance: string): Promise<DeadWorker[]> {
    const first = await this.look();
    const waits = first.dying.filter((worker) => worker.instance === instance).map(({ inMs }) => inMs + 5);
    if (waits.length === 0) return first.dead;
    await delay(Math.max(...waits));
    return (await this.look()).dead;
  }

  /** How long each beat has not changed while somebody was here to see it. */
  private notice(rows: readonly WorkerRow[], epoch: string, sinceMs: number | null): void {
    // Sessions ended with the epoch before, and nobody could beat meanwhile: everyone gets the whole time.
    const grace = this.epoch !== null && this.epoch !== epoch;
    const absent = sinceMs !== null && sinceMs > ABSENT_MS;
    const before = grace ? new Map<number, Seen>() : this.seen;
    this.seen = new Map();
    this.epoch = epoch;
    for (const { id, beat, age, ended } of rows) {
      if (ended) continue;
      const known = before.get(id);
      if (known?.beat !== beat) {
        const silentMs = grace ? 0 : Math.min(Math.max(0, age), BEAT_MS);
        this.seen.set(id, { beat, silentMs, cutOff: absent && known === undefined });
      } else {
        const silentMs = known.silentMs + Math.min(sinceMs ?? 0, ABSENT_MS);
        this.seen.set(id, { beat, silentMs, cutOff: known.cutOff || absent });
      }
    }
  }

  private async withoutSession(workers: readonly WorkerRow[]): Promise<Set<number>> {
    if (workers.length === 0) return new Set();
    const { rows } = await this.options.database.query<{ id: number }>(WITHOUT_SESSION, [
      workers.map(({ id }) => id),
      SESSION_LOCK_CLASS,
    ]);
    return new Set(rows.map(({ id }) => id));
  }

  private judge(rows: readonly WorkerRow[], epoch: string, gone: ReadonlySet<number>): Look {
    const look: Look = { dead: [], dying: [] };
    for (const row of rows) {
      const { id, lease, beat, instance } = row;
      if (row.ended) {
        look.dead.push({ id, lease, beat: null, epoch, died: false });
        continue;
      }
      const { silentMs, cutOff } = this.seen.get(id)!;
      const silent = silentMs >= (row.shared ? SHARED_SILENT_AFTER_MS : SILENT_AFTER_MS);
      // After an absence of ours others may be cut off as we were, and have come back no sooner.
      const bySession = gone.has(id) && !cutOff;
      if (silent || (bySession && silentMs >= DEAD_AFTER_MS)) {
        // Behind a pooler silence is all that is ever known of a death.
        const died = gone.has(id) || (row.shared && row.epoch === epoch);
        look.dead.push({ id, lease, beat, epoch, died });
      } else if (bySession) {
        look.dying.push({ instance, inMs: DEAD_AFTER_MS - silentMs });
      }
    }
    return look;
  }
}

interface Seen {
  beat: string;
  silentMs: number;
  /** Not seen alive since we were away ourselves. */
  cutOff: boolean;
}

interface WorkerRow {
  id: number;
  lease: number;
  instance: string;
  shared: boolean;
  epoch: string | null;
  beat: string;
  /** By the server's clock. */
  age: number;
  ended: boolean;
}

/** In an embedded store nobody else can be alive: everyone before this process is dead. */
export async function findEarlierWorkers(database: Queryable, self: number): Promise<DeadWorker[]> {
  const { rows } = await database.query<{ id: number; lease: number; died: boolean }>(
    `select w.id, w.lease, w.ended_at is null as died from postrider.workers w
     where w.id <> $1 and (w.ended_at is null or exists (select 1 from postrider.email_queue q where q.owner = w.id))`,
    [self],
  );
  return rows.map((row) => ({ ...row, beat: null, epoch: null }));
}

/** A beat as a text that is compared and never read: microseconds, which no driver rounds. */
export const BEAT_OF = (w: string) => `(extract(epoch from ${w}.beat_at) * 1000000)::bigint::text`;

const WORKERS = {
  name: 'outbox_watch_workers',
  text: `
    select w.id, w.lease, w.instance, w.shared_session as shared, w.epoch, ${BEAT_OF('w')} as beat,
      date_part('epoch', clock_timestamp() - w.beat_at) * 1000 as age, false as ended
    from postrider.workers w where w.ended_at is null and w.id <> $1
    union all
    -- ended in order but left rows behind, because giving them back failed
    select w.id, w.lease, w.instance, w.shared_session, w.epoch, '', 0, true
    from (select distinct owner from postrider.email_queue where owner is not null) held
    join postrider.workers w on w.id = held.owner
    where w.ended_at is not null`,
};

const WITHOUT_SESSION = {
  name: 'outbox_without_session',
  text: `
    select w.id from unnest($1::int[]) w(id)
    where not exists (
      select 1 from pg_locks l
      where l.locktype = 'advisory' and l.classid = $2::int::oid and l.objid = w.id::oid and l.objsubid = 2 and l.granted
        and l.database = (select oid from pg_database where datname = current_database()))`,
};
