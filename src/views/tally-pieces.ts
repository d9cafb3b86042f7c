/**
 * A stretch of time cut where the tallies are: whole days, the hours that are left, and five minutes at both ends. An
 * end that is open reaches to the first or the last day there is. Both ends are taken to the step they lie in.
 */
export interface TallyPieces {
  days: readonly Piece[];
  hours: readonly Piece[];
  steps: readonly Piece[];
}

/** From this moment up to, and without, that one. */
export type Piece = readonly [from: number, to: number];

const STEP_MS = 300_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export function tallyPieces(since: Date | undefined, until: Date | undefined): TallyPieces {
  const from = since ? Math.floor(since.getTime() / STEP_MS) * STEP_MS : Number.NEGATIVE_INFINITY;
  const to = until ? Math.ceil(until.getTime() / STEP_MS) * STEP_MS : Number.POSITIVE_INFINITY;
  const days = cut([from, to], DAY_MS);
  const hours = days.left.map((piece) => cut(piece, HOUR_MS));
  return {
    days: days.whole,
    hours: hours.flatMap((piece) => piece.whole),
    steps: hours.flatMap((piece) => piece.left),
  };
}

/**
 * A stretch whose ends are taken to whole days (UTC) where they lie before `fineFromMs`: of what is older there are no
 * five minutes any more.
 */
export function inKeptSteps(
  { since, until }: { since?: Date | undefined; until?: Date | undefined },
  fineFromMs: number,
): { since: Date | undefined; until: Date | undefined } {
  const old = (at: Date | undefined): at is Date => at !== undefined && at.getTime() < fineFromMs;
  return {
    since: old(since) ? new Date(Math.floor(since.getTime() / DAY_MS) * DAY_MS) : since,
    until: old(until) ? new Date(Math.ceil(until.getTime() / DAY_MS) * DAY_MS) : until,
  };
}

function cut([from, to]: Piece, unitMs: number): { whole: Piece[]; left: Piece[] } {
  const first = Math.ceil(from / unitMs) * unitMs;
  const last = Math.floor(to / unitMs) * unitMs;
  if (first >= last) return { whole: [], left: from < to ? [[from, to]] : [] };
  const left: Piece[] = [
    [from, first],
    [last, to],
  ];
  return { whole: [[first, last]], left: left.filter((piece) => piece[0] < piece[1]) };
}

/** As PostgreSQL takes it. */
export function momentText(ms: number): string {
  if (Number.isFinite(ms)) return new Date(ms).toISOString();
  return ms < 0 ? '-infinity' : 'infinity';
}
