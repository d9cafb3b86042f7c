export { BASE_STYLE } from './base-style.js';
export { devPage } from './dev-page.js';
export { eventStream } from './event-stream.js';
