/**
 * What an alert is: the condition it watches, how it is said, what to do about it, and the rule for Prometheus where
 * its metrics show the same. `database` conditions are one bounded statement; `process` conditions are known to a
 * process about itself; an `outage` is why the others cannot be looked at.
 */
import { trimEndOf } from '../kernel/index.js';
import type { Thresholds } from './alert-defaults.js';

export type Severity = 'page' | 'ticket';

/** One thing that is wrong now. */
export interface Finding {
  /** What is concerned, such as a route's name; one open episode per alert and subject. Empty: all of it. */
  subject: string;
  tenant: string | null;
  /** One plain sentence with its numbers. */
  sentence: string;
  /** Another finding says the same: an open episode goes on, and none is opened. */
  implied?: boolean;
}

export interface AlertText {
  id: string;
  /** `page`: mail stops or is lost sight of, somebody must come now. `ticket`: it can wait until the morning. */
  severity: Severity;
  /** The condition in one sentence, for the documentation. */
  condition: string;
  /** What to do. */
  action: string;
  /** The page of the dashboard that shows it. */
  page(subject: string, tenant: string | null): string;
  /** How long the condition must hold. */
  holdMs(thresholds: Thresholds): number;
  prometheus: PrometheusRule | null;
}

export interface PrometheusRule {
  name: string;
  expr: string;
  for: string | null;
  summary: string;
}

export interface DatabaseAlert extends AlertText {
  reads: 'database';
  sql: string;
  parameters(thresholds: Thresholds): unknown[];
  // biome-ignore lint/suspicious/noExplicitAny: the columns of its own statement
  findings(rows: readonly any[], thresholds: Thresholds): Finding[];
}

export interface ProcessAlert extends AlertText {
  reads: 'process';
  findings(facts: ProcessFacts, thresholds: Thresholds): Finding[] | Promise<Finding[]>;
}

/** What can keep alerts themselves from being looked at. */
export interface OutageAlert extends AlertText {
  reads: 'outage';
  sentence(reason: string, alert?: string): string;
}

export type Alert = DatabaseAlert | ProcessAlert | OutageAlert;

/** What a process knows of itself; null for a part it does not run. */
export interface ProcessFacts {
  worker: { up: boolean; message: string } | null;
  engine: { name: string; up: boolean; message: string } | null;
  bus: { up: boolean; message: string } | null;
  /** Calls that a fault of the store failed, within the last five minutes. */
  accepting: { failures: number; message: string } | null;
  /** Schedules whose time has passed without a run; rejects when they cannot be looked at. */
  missedSchedules(): Promise<ReadonlyArray<{ name: string; dueAt: Date }>>;
  /** Types of which emails reached their provider late, within the last quarter of an hour. */
  lateTypes: readonly LateType[];
}

export interface LateType {
  type: string;
  late: number;
  sent: number;
  limitMs: number;
  longestMs: number;
}

/** A duration as a person says it: `40 seconds`, `7 minutes`, `3 hours`, `2 days`. */
export function spoken(seconds: number): string {
  const [size, unit] = UNITS.find(([least]) => seconds >= least * 2) ?? [1, 'second'];
  const count = Math.max(0, Math.floor(seconds / size));
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

/** `2026-11-20 09:15 UTC` */
export function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;
}

/** A foreign message as part of a sentence: one line, bounded. */
export function quoted(text: string | null): string {
  const line = (text ?? '').replace(/[\s\u0000-\u001f\u007f]+/g, ' ').trim();
  if (line === '') return 'no reason is known';
  return line.length > 200 ? `${line.slice(0, 199)}…` : trimEndOf(line, '.');
}
