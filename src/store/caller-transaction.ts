import {
  callerQueries,
  hasFunction,
  isThing,
  type TransactionState,
  unsupported,
} from './callers/caller-queries.js';
import { fromDrizzle } from './callers/from-drizzle.js';
import { fromKnex } from './callers/from-knex.js';
import { fromKysely } from './callers/from-kysely.js';
import { fromPrisma } from './callers/from-prisma.js';
import { fromTypeorm } from './callers/from-typeorm.js';
import { parameterText } from './callers/parameter-text.js';
import { pgState } from './callers/pg-state.js';
import type { Queryable } from './database.js';
import { isOwnTransaction } from './transaction-scope.js';

/**
 * Makes one Queryable of whatever transaction object the application holds. It never begins, commits
 * or rolls back, and never prepares statements: the connection is the caller's. What is known to be no transaction
 * (a pool, a client that opens one per call, a transaction that is over) is refused, because an email written there
 * would be committed at once.
 */
export function callerTransaction(tx: unknown): Queryable {
  const known =
    fromDrizzle(tx, fromDriver) ?? fromKysely(tx) ?? fromKnex(tx) ?? fromPrisma(tx) ?? fromTypeorm(tx);
  return known ?? fromDriver(tx);
}

/** pg's client, postgres.js's or PGlite's transaction, or any `{ query(text, values) }`. */
function fromDriver(tx: unknown): Queryable {
  if (isPool(tx)) throw unsupported('tx is a pool: pass the client on which you said begin.');
  if (hasFunction(tx, 'unsafe')) {
    if (hasFunction(tx, 'begin') && !hasFunction(tx, 'savepoint'))
      throw unsupported('tx is a pool: pass what sql.begin gives.');
    const sql = tx as { unsafe(text: string, values: unknown[]): Promise<unknown> };
    // Drizzle takes its serializers for lists of times away, and it takes a list of booleans for one.
    const asText = (value: unknown) => (Array.isArray(value) ? parameterText(value) : value);
    return callerQueries((text, values) => sql.unsafe(text, values.map(asText)));
  }
  if (hasFunction(tx, 'query')) {
    if (hasFunction(tx, 'transaction') && hasFunction(tx, 'exec') && hasFunction(tx, 'listen'))
      throw unsupported('tx is a PGlite: pass what its transaction gives.');
    if (hasFunction(tx, 'transaction') && hasFunction(tx, 'openSession'))
      throw unsupported('tx is a store: pass what its transaction gives.');
    const client = tx as { query(text: string, values: unknown[]): Promise<unknown>; closed?: unknown };
    return callerQueries((text, values) => client.query(text, values), stateOf(client));
  }
  throw unsupported('The object passed as tx cannot run a query.');
}

function stateOf(client: { closed?: unknown }): () => TransactionState {
  if (isOwnTransaction(client)) return () => 'open'; // it refuses by itself once it is over
  if (isPgliteTransaction(client)) return () => (client.closed === true ? 'none' : 'open');
  return () => pgState(client);
}

function isPgliteTransaction(client: { closed?: unknown }): boolean {
  return typeof client.closed === 'boolean' && hasFunction(client, 'exec') && hasFunction(client, 'rollback');
}

function isPool(tx: unknown): boolean {
  return isThing(tx) && hasFunction(tx, 'connect') && typeof tx.totalCount === 'number';
}
