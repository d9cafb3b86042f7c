export { deriveHtml } from './derive-html.js';
export { deriveText } from './derive-text.js';
