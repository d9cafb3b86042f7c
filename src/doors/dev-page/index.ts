export { devPage } from './dev-page.js';
export { eventStream } from './event-stream.js';
