export type { BellBroker, BellEnd, BrokerListener, HeardBell, OutgoingBell } from './bell-broker.js';
export { createBellEngine } from './bell-engine.js';
export type { Engine, EngineMetrics, EngineName, EngineState, RouteGate } from './engine.js';
export { createBullmqBroker } from './engines/bullmq/bullmq-broker.js';
export { examineRedis } from './engines/bullmq/examine-redis.js';
export { createPostgresEngine } from './engines/postgres/postgres-engine.js';
export { createRabbitBroker } from './engines/rabbitmq/create-rabbit-broker.js';
export {
  type BrokerDeadLetter,
  createDeadLetterDesk,
  type DeadLetterFate,
} from './engines/rabbitmq/dead-letter-desk.js';
export { examineRabbit } from './engines/rabbitmq/examine-rabbit.js';
export type { ForeignAnswer, ForeignMessage, ReceiveForeign } from './foreign-message.js';
export { tellEngine } from './tell-engine.js';
