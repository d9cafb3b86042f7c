export { messageIdOf } from './outgoing-email.js';
export { createPipelineMetrics, type PipelineMetrics } from './pipeline-metrics.js';
export { createWorker, type WorkSource } from './worker.js';
