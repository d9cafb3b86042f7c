/**
 * A program for the tests of cleaning up: starts a server, says where, and stays until it is ended.
 * Run compiled, as `node .build/test/services/hold-postgres.js`.
 */
import { startPrivatePostgres } from './private-postgres.js';
import { removeOwnWorkspacesOnSignals } from './workspace.js';

removeOwnWorkspacesOnSignals();
const server = await startPrivatePostgres();
process.stdout.write(`${JSON.stringify({ url: server.url, dataDir: server.dataDir })}\n`);
setInterval(() => undefined, 60_000);
