import type { BenchDatabase } from './ground/bench-server.js';

/**
 * What a bench is: a name, one sentence, and a run that gives figures. It ends by itself, says how far
 * it is while it works, and leaves nothing behind.
 */
export interface Bench {
  name: string;
  says: string;
  run(context: BenchContext): Promise<Figure[]>;
}

export interface BenchContext {
  /** A fresh database with the schema in it, dropped when the bench ends. */
  openDatabase(): Promise<BenchDatabase>;
  /** One line on the terminal that replaces the last. */
  progress(text: string): void;
}

export interface Figure {
  what: string;
  value: number;
  unit: string;
  target?: Target;
  /** What the design says about it. */
  design?: string;
  note?: string;
}

export type Target = { atMost: number } | { atLeast: number };

/** Thrown by a bench that cannot run here; it is named, not failed. */
export class Skipped extends Error {}

export function isMet({ value, target }: Figure): boolean | null {
  if (!target) return null;
  return 'atMost' in target ? value <= target.atMost : value >= target.atLeast;
}
