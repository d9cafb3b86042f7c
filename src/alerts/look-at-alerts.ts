import { messageOf } from '../kernel/index.js';
import { isStoreAway } from '../store/index.js';
import { type Alert, type Finding, type ProcessAlert, type ProcessFacts, quoted } from './alert.js';
import type { Thresholds } from './alert-defaults.js';
import { ALERTS_FAIL } from './alerts.js';
import type { Seen } from './episodes.js';

/** What looking came to. An alert that could not be looked at says nothing about its open episodes: they go on. */
export interface Looked {
  seen: Seen[];
  /** Ids of alerts that could not be looked at. */
  unseen: string[];
}

/** What this process knows of itself, each alert by itself. */
export async function lookAtOwn(
  watched: readonly Alert[],
  facts: ProcessFacts,
  thresholds: Thresholds,
): Promise<Looked> {
  const looked: Looked = { seen: [], unseen: [] };
  for (const alert of watched)
    if (alert.reads === 'process')
      try {
        note(looked, alert, await (alert as ProcessAlert).findings(facts, thresholds), thresholds);
      } catch (error) {
        if (isStoreAway(error)) throw error;
        noteUnseen(looked, watched, alert, error, thresholds);
      }
  return looked;
}

/** The findings of an alert, each with what its episode needs to know of it. */
export function note(
  { seen }: Looked,
  alert: Alert,
  findings: readonly Finding[],
  thresholds: Thresholds,
): void {
  for (const finding of findings)
    seen.push({
      alert: alert.id,
      severity: alert.severity,
      holdMs: alert.holdMs(thresholds),
      ...finding,
    });
}

export function noteUnseen(
  looked: Looked,
  watched: readonly Alert[],
  alert: Alert,
  error: unknown,
  thresholds: Thresholds,
): void {
  looked.unseen.push(alert.id);
  if (!watched.includes(ALERTS_FAIL)) return;
  const sentence = ALERTS_FAIL.sentence(quoted(messageOf(error)), alert.id);
  note(looked, ALERTS_FAIL, [{ subject: alert.id, tenant: null, sentence }], thresholds);
}
