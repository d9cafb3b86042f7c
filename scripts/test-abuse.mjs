/**
 * `npm run test:abuse`: every attack of test/abuse/harness, in an order that a seed decides, until the time is up.
 *
 *   --only 'POST /v1/email/send html'   the attacks whose way in, field and entry read like that
 *   --sample                            what once broke a rule, and one entry for each field of each way in
 *   --minutes 120                       the most it takes; what was not tried by then is counted
 *   --seed 1                            another order
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    sample: { type: 'boolean' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
  },
});
const env = { ...process.env };
for (const [name, value] of Object.entries(values)) env[`ABUSE_${name.toUpperCase()}`] = String(value);
const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = ['vitest', 'run', '--project', 'abuse', '--disable-console-intercept'];
const { status, signal } = spawnSync('npx', vitest, { cwd: root, env, stdio: 'inherit' });
process.exit(status ?? (signal ? 1 : 0));
