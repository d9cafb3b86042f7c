import { readFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';

/**
 * Whether a test file of this run has one of these words. For services that take seconds to start: a run of one
 * file that does not ask for them goes without.
 */
export async function isNeeded(project: TestProject, words: readonly string[]): Promise<boolean> {
  const named = process.argv.slice(2).filter((argument) => /(?:^|\/)test\//.test(argument));
  const { testFiles } = await project.globTestFiles(named.length > 0 ? named : undefined);
  return testFiles.some((file) => {
    const text = readFileSync(file, 'utf8');
    return words.some((word) => text.includes(word));
  });
}
