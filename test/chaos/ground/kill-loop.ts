import { expect } from 'vitest';
import type { EmailInput } from '../../../src/index.js';
import { waitFor } from '../../services/index.js';
import { checkLedger } from './check-ledger.js';
import type { ChildOptions } from './child.js';
import { START_PLACES } from './journey-places.js';
import { type RecordingSink, startRecordingSink } from './recording-sink.js';
import { type Child, spawnChild } from './spawn-child.js';

/**
 * One track of the kill-point loop, on a store of its own: a child that runs untouched is armed, accepts
 * and delivers a handful of emails and dies at a kill point, by name or at the N-th; a fresh one finishes
 * untouched, the ledger is checked, and that one is armed for the next death. Tracks share the deaths between
 * them. The order of points is not the same in every run, so a place that all numbers missed is died at by name.
 */
interface Track {
  database: ChildOptions['database'];
  /** Of the deaths at the N-th point: the first N and the step to the next; null for deaths by name alone. */
  every: { first: number; step: number } | null;
  /** Whether this track also dies while starting, beside the rows of a dead worker. */
  deathsAtStart: boolean;
  /** Which engine, and where its broker is. */
  config?: ChildOptions['config'];
}

interface TrackReport {
  deaths: number;
  /** Names of the kill points at which a child died. */
  diedAt: Set<string>;
  /** Names of the kill points passed in a run that ended untouched. */
  passed: Set<string>;
}

interface OpenTrack {
  report: TrackReport;
  /** One more run in which nobody dies, to see what it passes. */
  runUntouched(): Promise<void>;
  /** One more run that dies at the first point of this name. */
  dieAt(place: string): Promise<void>;
  end(): Promise<void>;
}

/** A mix that crosses every path: scheduled and at-most-once, refused for good, refused at first. */
function handful(aheadMs: number): EmailInput[] {
  const soon = new Date(Date.now() + aheadMs);
  return [
    { to: 'once@example.com', subject: 'once', text: 'x', delivery: 'at-most-once', scheduledAt: soon },
    { to: 'reject@example.com', subject: 'reject', text: 'x' },
    { to: 'defer@example.com', subject: 'defer', text: 'x' },
  ];
}

/** How the sink answers the handful. */
const answerHandful: RecordingSink['beforeAnswer'] = async ({ to, seen }) => {
  if (to.startsWith('reject')) return { code: 550 };
  if (to.startsWith('defer') && seen === 0) return { code: 451 };
  return undefined;
};

/** How each of them may end, and nothing else. */
const ENDS: Record<string, string[]> = {
  once: ['sent', 'unknown'],
  reject: ['failed'],
  defer: ['sent'],
};

type Store = Pick<Track, 'database' | 'config'>;

/**
 * Dies once at every named place, and at each point of a start. Then an untouched run shows that the journey passes no
 * place that is not listed.
 */
export async function dieAtEveryPlace(
  title: string,
  stores: readonly Store[],
  places: readonly string[],
): Promise<void> {
  await dieOnTracks(
    title,
    stores.map((store, index) => ({ ...store, every: null, deathsAtStart: index === 0 })),
    places,
  );
}

/** Dies at every N until a run ends untouched, and by name at every place that all numbers missed. */
export async function dieAtEveryPoint(
  title: string,
  stores: readonly Store[],
  places: readonly string[],
): Promise<void> {
  await dieOnTracks(
    title,
    stores.map((store, index) => ({
      ...store,
      every: { first: 1 + index, step: stores.length },
      deathsAtStart: index === 0,
    })),
    places,
  );
}

async function dieOnTracks(title: string, plans: readonly Track[], places: readonly string[]): Promise<void> {
  const began = performance.now();
  // A track that is free takes the next place: one that needs a longer run delays no other.
  const dieAtThese = async (track: OpenTrack, left: string[]) => {
    for (let place = left.shift(); place !== undefined; place = left.shift()) await track.dieAt(place);
  };
  const byName = places.filter((place) => !START_PLACES.includes(place));
  const tracks = await Promise.all(
    plans.map(async (plan) => {
      const track = await openTrack(plan);
      if (!plan.every) await dieAtThese(track, byName);
      return track;
    }),
  );
  const reports = tracks.map((track) => track.report);
  const all = (pick: (report: TrackReport) => Set<string>) => new Set(reports.flatMap((r) => [...pick(r)]));
  const reached = all((report) => report.diedAt);
  const missed = places.filter((place) => !reached.has(place));
  await Promise.all(tracks.map((track) => dieAtThese(track, missed)));
  await tracks[0]!.runUntouched();
  await Promise.all(tracks.map((track) => track.end()));
  const deaths = reports.reduce((sum, report) => sum + report.deaths, 0);
  console.log(`${title}: ${deaths} deaths in ${Math.round((performance.now() - began) / 1000)} s`);
  expect([...all((report) => report.diedAt)].sort()).toEqual([...places].sort());
  // A place that is new in the journey belongs into the list.
  const passed = all((report) => report.passed);
  expect(passed.size).toBeGreaterThan(places.length / 2);
  // Alerts look beside the journey, every quarter of a minute.
  for (const name of passed) if (!name.startsWith('alert:')) expect(places).toContain(name);
}

async function openTrack(track: Track): Promise<OpenTrack> {
  const children: Child[] = [];
  const sink = await startRecordingSink();
  sink.beforeAnswer = answerHandful;
  const { database, config } = track;
  const spawn = (killAt?: number): Child => {
    const options = {
      database,
      smtpPort: sink.port,
      work: true,
      instance: 'track',
      concurrency: 4,
      killAt,
      config,
    };
    children.push(spawnChild(options));
    return children.at(-1)!;
  };
  try {
    return await walk(track, sink, spawn);
  } catch (error) {
    for (const child of children) child.kill();
    throw error;
  }
}

async function walk(
  { every, deathsAtStart }: Track,
  sink: RecordingSink,
  spawn: (killAt?: number) => Child,
): Promise<OpenTrack> {
  const report: TrackReport = { deaths: 0, diedAt: new Set(), passed: new Set() };
  const accepted: string[] = [];

  /** Everything accepted so far has ended, and ended well. */
  async function finish(child: Child): Promise<void> {
    await waitFor(
      async () => (await child.query('select 1 from postrider.email_queue limit 1')).rows.length === 0,
      { timeoutMs: 300_000, everyMs: 50, what: `an empty queue\n${child.output()}` },
    );
    expect(await checkLedger(child, accepted, sink.taken)).toEqual([]);
    expect(await wrongEnds(child)).toEqual([]);
  }

  /** A whole run; returns the child that goes on in peace, or null when it ran through untouched. */
  async function runAndDie(
    child: Child,
    killAt: number | string,
    aheadMs: number = AHEAD_MS[0],
  ): Promise<Child | null> {
    child.say({ do: 'arm', killAt });
    const answer = child.next('accepted');
    child.say({ do: 'send', emails: handful(aheadMs) });
    const whole = answer
      .then(({ ids }) => accepted.push(...ids))
      .then(() => finish(child))
      .then(() => 'untouched' as const);
    // A death also rejects whatever was being asked; then the death is what happened.
    const end = await Promise.race([whole.catch(() => child.gone), child.gone]);
    if (end === 'untouched') return null;
    expect(end, child.output()).toBe('SIGKILL');
    report.deaths++;
    report.diedAt.add(child.diedAt() ?? 'unknown place');
    return spawn();
  }

  /** With rows of a dead worker waiting, dies at the 1st, 2nd, … point of its start until one comes through. */
  async function dieWhileStarting(child: Child): Promise<Child> {
    await runAndDie(child, MIDDLE_OF_A_RUN).then((peaceful) => endOf(peaceful));
    for (let killAt = 1; ; killAt++) {
      const starting = spawn(killAt);
      const started = await Promise.race([
        starting.next('ready').then(
          () => true,
          () => false,
        ),
        starting.gone.then(() => false),
      ]);
      if (started) {
        starting.say({ do: 'arm', killAt: 0 });
        await starting.next('armed').catch(() => undefined);
        if (starting.diedAt() === null) return starting;
      }
      await starting.gone;
      report.diedAt.add(starting.diedAt() ?? 'unknown place');
    }
  }

  let child = spawn();
  await child.next('ready');
  if (deathsAtStart) {
    child = await dieWhileStarting(child);
    await finish(child);
  }
  /** False when the run ended untouched. */
  async function dieOnce(killAt: number | string, aheadMs?: number): Promise<boolean> {
    const next = await runAndDie(child, killAt, aheadMs);
    if (next === null) return false;
    child = next;
    await child.next('ready');
    await finish(child);
    return true;
  }
  if (every) for (let killAt = every.first; await dieOnce(killAt); ) killAt += every.step;
  return {
    report,
    async runUntouched() {
      if (await dieOnce('nowhere')) throw new Error('it died at a place that is none');
      child.say({ do: 'count' });
      for (const name of (await child.next('counted')).names) report.passed.add(name);
    },
    async dieAt(place) {
      for (const aheadMs of AHEAD_MS) {
        await dieOnce(place, aheadMs);
        if (report.diedAt.has(place)) return;
      }
      throw new Error(`no run passes ${place}`);
    },
    async end() {
      child.say({ do: 'stop', deadlineMs: 5000 });
      await child.gone;
      await sink.stop();
    },
  };
}

/**
 * How far ahead one of the handful is scheduled. What was accepted later than that is due at once and never promoted, as
 * it happens on a crowded machine; the longer ones are for places that no run has passed yet.
 */
const AHEAD_MS = [250, 2000, 20_000] as const;

/** Some emails are begun and none is settled there. */
const MIDDLE_OF_A_RUN = 10;

async function endOf(child: Child | null): Promise<void> {
  if (!child) throw new Error('the run was too short to die in its middle');
  child.kill();
  await child.gone;
}

async function wrongEnds(child: Child): Promise<string[]> {
  const { rows } = await child.query<{ id: string; subject: string; status: string }>(
    'select id, subject, status::text as status from postrider.email_logs',
  );
  return rows
    .filter(({ subject, status }) => !ENDS[subject]?.includes(status))
    .map(({ id, subject, status }) => `${subject} ${id} ended as ${status}`);
}
