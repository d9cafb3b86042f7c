export { messageIdOf } from './outgoing-email.js';
export { createPipelineMetrics, type PipelineMetrics } from './pipeline-metrics.js';
export { SlotShares } from './slot-shares.js';
export { createWorker, type WorkSource } from './worker.js';
