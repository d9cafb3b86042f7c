import { didYouMean, newRecord, ownEntry, type Parsed, type Setting } from '../kernel/index.js';

/**
 * Thresholds of single tenants or types, as written: `{ "acme": { "failurePercent": 10 } }`. Each value is judged as the
 * general setting of its name is; an unknown name is refused.
 */
export function readOwnThresholds<Own extends object>(
  raw: unknown,
  known: Readonly<Record<string, Setting<number>>>,
  isName: (name: string) => boolean,
): Parsed<Record<string, Own>> {
  if (!isTable(raw)) return refuse(FORM);
  const entries = Object.entries(raw);
  if (entries.length > MOST_NAMES) return refuse(`must not name more than ${MOST_NAMES}`);
  const found = newRecord<Own>();
  for (const [name, own] of entries) {
    if (!isName(name)) return refuse(`names ${JSON.stringify(name.slice(0, 80))}, which is no name`);
    if (!isTable(own)) return refuse(FORM);
    const limits = newRecord<number>();
    for (const [limit, value] of Object.entries(own)) {
      const setting = ownEntry(known, limit);
      if (!setting) {
        const meant = didYouMean(limit, Object.keys(known));
        return refuse(`has no ${limit.slice(0, 80)} for ${name}${meant ? `; did you mean ${meant}` : ''}`);
      }
      const parsed = setting.parse(value);
      if (!parsed.ok) return refuse(`has a ${limit} for ${name} that ${parsed.reason}`);
      limits[limit] = parsed.value;
    }
    found[name] = limits as Own;
  }
  return { ok: true, value: found };
}

/** Each of them is looked for by itself. */
const MOST_NAMES = 100;
const FORM = 'must be an object of names, each with an object of thresholds';

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuse(reason: string): { ok: false; reason: string } {
  return { ok: false, reason };
}
