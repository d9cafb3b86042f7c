/**
 * Records which functions of src a test file calls, for `npm run mutants`: the engine's own count of calls, one JSON per
 * test file in the folder TEST_REACH. Processes that a test starts are not seen.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const startedAt = performance.now();
const session = await openSession();
await post('Profiler.takePreciseCoverage'); // sets the counts to zero: several files may share a process

afterAll(async () => {
  const { result } = await post('Profiler.takePreciseCoverage');
  const reached = {};
  for (const { url, functions } of result) {
    const file = pathOf(url);
    if (!file?.startsWith('src/') || file.endsWith('.test.ts')) continue;
    const called = functions.filter(({ ranges }) => ranges[0].count > 0).map((each) => each.functionName);
    // The first is the file itself, which every import runs.
    if (called.length > 1) reached[file] = [...new Set(called)].filter((name) => name !== '').sort();
  }
  const test = relative(root, expect.getState().testPath);
  const folder = join(root, process.env.TEST_REACH);
  mkdirSync(folder, { recursive: true });
  const name = createHash('sha256').update(test).digest('hex').slice(0, 16);
  const ms = Math.round(performance.now() - startedAt);
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ test, ms, reached }));
}, 60_000);

async function openSession() {
  if (globalThis.reachSession) return globalThis.reachSession;
  globalThis.reachSession = new Session();
  globalThis.reachSession.connect();
  await post('Profiler.enable', {}, globalThis.reachSession);
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false }, globalThis.reachSession);
  return globalThis.reachSession;
}

function post(method, parameters = {}, to = session) {
  return new Promise((resolve, reject) => {
    to.post(method, parameters, (error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

function pathOf(url) {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url;
  return path.startsWith(root) ? relative(root, path).split('?')[0] : undefined;
}
