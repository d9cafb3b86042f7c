import type { Queryable } from '../database.js';
import { hasFunction, isThing, unsupported } from './caller-queries.js';

/**
 * Drizzle's transaction: the driver's own client inside it, so that node-postgres, postgres.js and PGlite take our
 * statements as they take everybody's, and Drizzle's logger never sees a body.
 */
export function fromDrizzle(tx: unknown, driver: (client: unknown) => Queryable): Queryable | null {
  if (!isThing(tx) || !isThing(tx.session) || !hasFunction(tx, 'execute')) return null;
  if (!hasFunction(tx, 'rollback'))
    throw unsupported("tx is Drizzle's database: pass what db.transaction gives.");
  return driver(tx.session.client);
}
