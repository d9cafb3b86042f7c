/**
 * The planted faults that may survive, each with its reason: scripts/mutants/accepted.json. An entry is known by its file
 * and by its line before and after, so it survives changes elsewhere in the file. One that names no fault of today is an
 * error, because the list would grow old.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMutants } from './find-mutants.mjs';

export function readAccepted(root) {
  const list = JSON.parse(readFileSync(join(root, 'scripts/mutants/accepted.json'), 'utf8'));
  const reasons = new Map();
  for (const file of new Set(list.map((entry) => entry.file))) {
    const path = join(root, file);
    const there = new Set(existsSync(path) ? findMutants(file, readFileSync(path, 'utf8')).map(keyOf) : []);
    for (const entry of list.filter((each) => each.file === file)) {
      if (!there.has(keyOf(entry))) throw new Error(`accepted.json names no fault of today: ${keyOf(entry)}`);
      if (!entry.reason) throw new Error(`accepted.json gives no reason: ${keyOf(entry)}`);
      reasons.set(keyOf(entry), entry.reason);
    }
  }
  return reasons;
}

export function keyOf({ file, before, after }) {
  return `${file}: ${before} → ${after}`;
}
