export type { Engine, RouteGate } from './engine.js';
export { createPostgresEngine } from './engines/postgres/postgres-engine.js';
