import { expect, test } from 'vitest';
import { allAttacks, sampled, shuffled } from './all-attacks.js';
import { type Attack, labelOf } from './attack.js';
import { namedCases } from './named-cases.js';
import { isMeant, lineOf, reportOf } from './report.js';
import { runAttacks } from './run-attacks.js';

/** Needs 'postgres'; with 'rabbitmq' and 'redis' their ways in, too. `npm run test:abuse`; scripts/test-abuse.mjs reads its options and says what they are. */
const { ABUSE_ONLY: only, ABUSE_SEED: seed = '1', ABUSE_MINUTES: minutes = '120' } = process.env;
const isSample = process.env.ABUSE_SAMPLE === 'true';

function chosen(all: Attack[]): Attack[] {
  if (only !== undefined)
    return shuffled(
      all.filter((one) => isMeant(labelOf(one), only)),
      Number(seed),
    );
  return isSample
    ? [...namedCases, ...shuffled(sampled(all, Number(seed)), Number(seed))]
    : shuffled(all, Number(seed));
}

test('every input of every way in → answered within the budgets, and nothing else suffers', async () => {
  const all = allAttacks();
  const meant = chosen(all);
  console.log(
    `${meant.length} of ${all.length} attacks, for at most ${minutes} minutes, with --seed ${seed}`,
  );
  let saidAt = performance.now();
  const result = await runAttacks(meant, {
    withinMs: Number(minutes) * 60_000,
    ...(only !== undefined && { onTry: (measured) => console.log(`tried: ${lineOf(measured)}`) }),
    onFinding: (finding) => console.log(`found: ${lineOf(finding)}`),
    onProgress: ({ made, skipped, findings, next }) => {
      if (performance.now() - saidAt < 10_000) return;
      saidAt = performance.now();
      console.log(`${made + skipped} of ${meant.length}, ${findings} found; ${labelOf(next)}`);
    },
  });
  console.log(reportOf(result));
  expect(meant.length, `attacks that are called ${only}`).toBeGreaterThan(0);
  expect(result.findings.map(lineOf)).toEqual([]);
});
