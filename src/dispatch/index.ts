export type { Engine } from './engine.js';
export { createPostgresEngine } from './engines/postgres/postgres-engine.js';
