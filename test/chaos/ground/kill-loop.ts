import { expect } from 'vitest';
import type { EmailInput } from '../../../src/index.js';
import { waitFor } from '../../services/index.js';
import { checkLedger } from './check-ledger.js';
import type { ChildOptions } from './child.js';
import { type RecordingSink, startRecordingSink } from './recording-sink.js';
import { type Child, spawnChild } from './spawn-child.js';

/**
 * One lane of the kill-point loop, on a store of its own: a child that runs in peace is armed, accepts
 * and delivers a handful of emails and dies at its N-th kill point; a fresh one finishes in peace, the
 * ledger is checked, and that one is armed for the next N. Lanes share the numbers between them. The
 * order of points is not the same in every run, so a place all numbers missed can be died at by name.
 */
interface Lane {
  database: ChildOptions['database'];
  /** The first N and the step to the next. */
  first: number;
  step: number;
  /** Whether this lane also dies while starting, beside the rows of a dead worker. */
  deathsAtStart: boolean;
  /** Which engine, and where its broker is. */
  config?: ChildOptions['config'];
}

interface LaneReport {
  deaths: number;
  /** Names of the kill points at which a child died. */
  diedAt: Set<string>;
  /** Names of the kill points passed in a run that ended untouched. */
  passed: Set<string>;
}

interface FinishedLane {
  report: LaneReport;
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

/**
 * Dies at every N, the numbers shared between the lanes, and by name at every place that all of them missed. Then
 * every place was died at, and the journey passes none that is not listed.
 */
export async function dieEverywhere(
  title: string,
  stores: ReadonlyArray<Pick<Lane, 'database' | 'config'>>,
  places: readonly string[],
): Promise<void> {
  const began = performance.now();
  const lanes = await Promise.all(
    stores.map((store, lane) =>
      runLane({ ...store, first: 1 + lane, step: stores.length, deathsAtStart: lane === 0 }),
    ),
  );
  const reports = lanes.map((lane) => lane.report);
  const all = (pick: (report: LaneReport) => Set<string>) => new Set(reports.flatMap((r) => [...pick(r)]));
  const before = all((report) => report.diedAt);
  const missed = places.filter((place) => !before.has(place));
  await Promise.all(
    lanes.map(async (lane, index) => {
      for (const place of missed.filter((_, at) => at % lanes.length === index)) await lane.dieAt(place);
    }),
  );
  await Promise.all(lanes.map((lane) => lane.end()));
  const deaths = reports.reduce((sum, report) => sum + report.deaths, 0);
  console.log(`${title}: ${deaths} deaths in ${Math.round((performance.now() - began) / 1000)} s`);
  expect([...all((report) => report.diedAt)].sort()).toEqual([...places].sort());
  // A place that is new in the journey belongs into the list.
  for (const name of all((report) => report.passed)) expect(places).toContain(name);
}

async function runLane(lane: Lane): Promise<FinishedLane> {
  const children: Child[] = [];
  const sink = await startRecordingSink();
  sink.beforeAnswer = answerHandful;
  const { database, config } = lane;
  const spawn = (killAt?: number): Child => {
    const options = {
      database,
      smtpPort: sink.port,
      work: true,
      instance: 'lane',
      concurrency: 4,
      killAt,
      config,
    };
    children.push(spawnChild(options));
    return children.at(-1)!;
  };
  try {
    return await walk(lane, sink, spawn);
  } catch (error) {
    for (const child of children) child.kill();
    throw error;
  }
}

async function walk(
  { first, step, deathsAtStart }: Lane,
  sink: RecordingSink,
  spawn: (killAt?: number) => Child,
): Promise<FinishedLane> {
  const report: LaneReport = { deaths: 0, diedAt: new Set(), passed: new Set() };
  const accepted: string[] = [];

  /** Everything accepted so far has ended, and ended well. */
  async function finish(child: Child): Promise<void> {
    await waitFor(
      async () => (await child.query('select 1 from postrider.email_queue limit 1')).rows.length === 0,
      { timeoutMs: 120_000, everyMs: 50, what: `an empty queue\n${child.output()}` },
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
  for (let killAt = first; await dieOnce(killAt); ) killAt += step;
  child.say({ do: 'count' });
  for (const name of (await child.next('counted')).names) report.passed.add(name);
  return {
    report,
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
