export { createPreview, type Preview, type PreviewOptions } from './create-preview.js';
export { type PreviewPorts, previewRoutes } from './preview-routes.js';
export { withScreen } from './with-screen.js';
