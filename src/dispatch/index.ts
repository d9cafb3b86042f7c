export type { BellBroker, BellEnd, BrokerListener, HeardBell, OutgoingBell } from './bell-broker.js';
export { createBellEngine } from './bell-engine.js';
export type { Engine, EngineMetrics, EngineName, EngineState, RouteGate } from './engine.js';
export { createPostgresEngine } from './engines/postgres/postgres-engine.js';
export { tellEngine } from './tell-engine.js';
