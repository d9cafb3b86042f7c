import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LONGEST } from '../services/longest-first.js';

test('the files that begin first → each is there', () => {
  expect(LONGEST.filter((path) => !existsSync(path))).toEqual([]);
});
