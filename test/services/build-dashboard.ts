import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Builds the dashboard where it is missing or older than its sources, once before the tests that look at it. */
export async function buildDashboard(root: string): Promise<void> {
  const changedAt = (path: string) =>
    statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
  const sources = readdirSync(join(root, 'dashboard'), { recursive: true }).map(
    (name) => `dashboard/${name.toString()}`,
  );
  const newest = Math.max(...['dashboard', 'package-lock.json', ...sources].map(changedAt));
  if (changedAt('dist/dashboard/index.html') > newest) return;
  await promisify(execFile)(process.execPath, ['scripts/build-dashboard.mjs'], { cwd: root });
}
