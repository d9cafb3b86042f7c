import { importsOf } from './imports-of.js';
import { isTest, roomOf, type SourceFile } from './source-file.js';

/**
 * A vendor's package is imported by one folder, so that replacing it is one folder's work.
 * Those named here have a fixed place; any other may have one room, whichever it is.
 */
const PLACES: Record<string, string[]> = {
  pg: ['store'],
  '@electric-sql/pglite': ['store'],
  hono: ['doors/http', 'doors/inbox', 'doors/preview', 'doors/dashboard'],
  '@hono/node-server': ['doors/http'],
  'smtp-server': ['doors/inbox', 'doors/smtp'],
  'rabbitmq-client': ['amqp'],
  commander: ['doors/cli'],
  picocolors: ['doors/cli'],
  nodemailer: ['providers'],
  pino: ['kernel'],
  '@opentelemetry/api': ['kernel'],
  bullmq: ['dispatch'],
  ioredis: ['dispatch'],
  // Judging HTML and turning it into text are two rooms' work, and neither may import the other.
  parse5: ['policy', 'render'],
};

/** Zod is the language schemas are written in, as TypeScript is for types. */
const EVERYWHERE = new Set(['zod']);

export function checkVendors(files: SourceFile[]): string[] {
  const users = new Map<string, Set<string>>();
  const problems: string[] = [];
  for (const file of files.filter((candidate) => !isTest(candidate))) {
    for (const imported of importsOf(file)) {
      if (imported.kind !== 'package' || EVERYWHERE.has(imported.name)) continue;
      const room = roomOf(file.path);
      const places = PLACES[imported.name];
      if (places && !places.includes(room)) {
        problems.push(`${file.path}: ${imported.name} belongs to ${places.join(' and ')}`);
      }
      if (!places) users.set(imported.name, (users.get(imported.name) ?? new Set()).add(room));
    }
  }
  for (const [name, rooms] of users) {
    if (rooms.size > 1) problems.push(`${name}: imported by ${[...rooms].join(', ')}; one folder only`);
  }
  return problems;
}
