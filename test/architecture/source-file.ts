import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/**
 * One TypeScript file under src as the rules see it. Rules are functions from such files to sentences about
 * what is wrong, so that each can be shown a made-up file and be seen to object.
 */
export interface SourceFile {
  /** From src, with slashes: `outbox/claim-batch.ts`. */
  path: string;
  text: string;
}

export function readSources(root = 'src', named = /\.ts$/): SourceFile[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && named.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: posix.relative(root, file.replaceAll('\\', '/')),
      text: readFileSync(file, 'utf8'),
    }));
}

/** Tests and their fixtures may use the clock, any vendor's client and any table to look at results. */
export function isTest(file: SourceFile): boolean {
  return /\.(test|fixture)\.ts$/.test(file.path);
}

/**
 * The room of a file: its first folder. Each door is a room of its own (`doors/http`), what lies beside them
 * is `doors`, and what lies directly in src is the root, which knows everyone.
 */
export function roomOf(path: string): string {
  const parts = path.split('/');
  if (parts.length === 1) return ROOT;
  return parts[0] === 'doors' && parts.length > 2 ? `doors/${parts[1]}` : parts[0]!;
}

export const ROOT = '(root)';
