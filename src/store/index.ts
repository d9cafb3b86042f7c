export { callerTransaction } from './caller-transaction.js';
export type { Database, Queryable, Result, Session, Statement } from './database.js';
export { checkSchema, type MigrationReport, migrate } from './migrations.js';
export { type DatabaseSource, openDatabase } from './open-database.js';
export { type MemoryPglite, openMemoryPglite } from './pglite/memory-pglite.js';
export { createSnapshotCache, type SnapshotCache } from './snapshot-cache.js';
export { isStoreAway } from './store-errors.js';
export { readStoreId } from './store-identity.js';
export { checkStoreRegion, claimStoreRegion } from './store-region.js';
