export { type BrandInput, type BrandLook, checkBrands, type LogoInput } from './brands/parse-brands.js';
export { type CatalogueType, catalogue } from './catalogue/catalogue.js';
export { checkCatalogue } from './check-catalogue.js';
export { type ClientContent, checkClientHtml } from './check-client-html.js';
export { isEmailType } from './check-declaration.js';
export { checkTemplates } from './check-templates.js';
export { type CheckOptions, checkTypes } from './check-types.js';
export type { RenderedContent } from './compile-email.js';
export {
  createRenderer,
  languagesOf,
  type Override,
  type Renderer,
  type RendererOptions,
} from './create-renderer.js';
export { declareTypes } from './declare-types.js';
export {
  defineEmail,
  type EmailContent,
  type EmailDeclaration,
  type EmailType,
  ESSENTIAL_CATEGORIES,
  type Making,
  PORTALS,
  type Portal,
  type TypeAttachment,
} from './define-email.js';
export { deriveHtml } from './derive-html.js';
export { deriveText } from './derive-text.js';
export { createEmailRegistry, type EmailRegistry } from './email-registry.js';
export { escapeHtml } from './escape-html.js';
export {
  createTemplates,
  type PreviewedContent,
  type PreviewOptions,
  type Templates,
  type TemplateType,
} from './overrides/create-templates.js';
export { createOverrideCache, type OverrideCache, type Overrides } from './overrides/override-cache.js';
export { ownContent } from './overrides/own-content.js';
export {
  type DraftContent,
  TEMPLATE_INPUTS,
  TEMPLATE_KEY_FIELDS,
  type TemplateKeyInput,
  VERSION,
} from './overrides/template-input.js';
export type { TemplateKey, TemplateSummary, TemplateVersion } from './overrides/template-versions.js';
export { renderReact } from './render-react.js';
export { endOfStartTag } from './scan-html.js';
export {
  createStoredTemplates,
  type ListedTemplate,
  type StoredTemplate,
  type StoredTemplates,
} from './stored/create-stored-templates.js';
export type { FilledTemplate } from './stored/fill-template.js';
export { fillPlaceholders, type Placeholder, readPlaceholders } from './stored/placeholders.js';
export { createTemplateFiles, type TemplateFiles, templateRoot } from './template-files.js';
