import type { Attack } from './attack.js';
import { namedCases } from './named-cases.js';
import { brokerAttacks } from './ways-in/brokers.js';
import { contentAttacks } from './ways-in/content.js';
import { floodAttacks } from './ways-in/floods.js';
import { hookAttacks } from './ways-in/hooks.js';
import { httpAttacks } from './ways-in/http.js';
import { smtpAttacks } from './ways-in/smtp.js';
import { sqlAttacks } from './ways-in/sql.js';

/** Every attack there is, way in by way in. */
export function allAttacks(): Attack[] {
  return [
    ...namedCases,
    ...floodAttacks(),
    ...contentAttacks(),
    ...hookAttacks(),
    ...smtpAttacks(),
    ...sqlAttacks(),
    ...brokerAttacks(),
    ...httpAttacks(),
  ];
}

/** The same order for the same seed, so that a run that ends early has seen something of everything. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  const random = randomFrom(seed);
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}

/** One entry of the dictionary for each field of each way in. */
export function sampled(attacks: readonly Attack[], seed: number): Attack[] {
  const inputs = new Map<string, Attack[]>();
  for (const attack of attacks) {
    if (attack.entry.startsWith('named: ')) continue;
    const input = `${attack.wayIn} ${attack.field}`;
    const known = inputs.get(input);
    if (known) known.push(attack);
    else inputs.set(input, [attack]);
  }
  const random = randomFrom(seed);
  return [...inputs.values()].map((all) => all[Math.floor(random() * all.length)]!);
}

/** Mulberry32: small, and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
