export { describeWith } from './describe-with.js';
export { freePort } from './free-port.js';
export { type PostgresOptions, type PostgresServer, queryOnce } from './postgres-server.js';
export { startPrivatePostgres } from './private-postgres.js';
export { createTestDatabase, type TestDatabase } from './test-database.js';
export { type WaitOptions, waitFor } from './wait-for.js';
export { openWorkspace, type Workspace } from './workspace.js';
