import { invalidPayload, isPostriderError, PostriderError, Turns } from '../../kernel/index.js';
import type { Database } from '../../store/index.js';
import { checkClientHtml } from '../check-client-html.js';
import type { RenderedContent } from '../compile-email.js';
import type { Renderer } from '../create-renderer.js';
import type { EmailType } from '../define-email.js';
import type { EmailRegistry } from '../email-registry.js';
import { sampleVariants } from '../sample-variants.js';
import { findLine } from './find-line.js';
import {
  checkAuthor,
  checkCompany,
  checkDraft,
  checkKey,
  checkVersion,
  type DraftContent,
  type TemplateKeyInput,
} from './template-input.js';
import {
  deleteDraft,
  insertVersion,
  listTemplates,
  lockTemplates,
  markActive,
  markPublished,
  raiseRevision,
  readVersions,
  retirePublished,
  rewriteDraft,
  type TemplateContent,
  type TemplateKey,
  type TemplateSummary,
  type TemplateVersion,
} from './template-versions.js';

/**
 * A tenant's own content for a type in a language: drafted, looked at, published, rolled back. What is broken is
 * refused when it is saved, with line and reason; what is published stays as it was for ever.
 */
export interface Templates {
  /** Every type there is. */
  types(): TemplateType[];
  /** What is drafted and published, without bodies: of one company, or of all. */
  list(options?: { companyId?: string | undefined }): Promise<TemplateSummary[]>;
  /** Makes the draft or rewrites it. */
  saveDraft(key: TemplateKeyInput, content: DraftContent, by: string): Promise<TemplateVersion>;
  /** Whether there was one to throw away. */
  discardDraft(key: TemplateKeyInput): Promise<boolean>;
  /** The draft becomes what is sent. */
  publish(key: TemplateKeyInput, by: string): Promise<TemplateVersion>;
  /** Publishes again, as a new version, the one published before, or the one named. */
  rollBack(key: TemplateKeyInput, by: string, version?: number): Promise<TemplateVersion>;
  /** Whether the published version is used, or the code's own content. */
  setActive(key: TemplateKeyInput, isActive: boolean, by: string): Promise<TemplateVersion>;
  listVersions(key: TemplateKeyInput): Promise<TemplateVersion[]>;
  /** What the code says, written as an override: where one begins. */
  own(type: string): DraftContent;
  /** With the type's sample data or other; of content not saved yet, a version, or what would be sent. */
  preview(key: TemplateKeyInput, options?: PreviewOptions): Promise<PreviewedContent>;
}

export interface PreviewedContent extends RenderedContent {
  /** What mail programs would not show as it is meant; sending is not refused for it. */
  warnings: string[];
}

export interface PreviewOptions {
  data?: unknown;
  content?: DraftContent;
  version?: number;
}

/** One type as it may be replaced. */
export interface TemplateType {
  type: string;
  portal: string;
  category: string;
  sensitive: boolean;
  languages: string[];
  sample: unknown;
}

export interface TemplatesOptions {
  database: () => Promise<Database>;
  registry: EmailRegistry;
  renderer: Renderer;
  languagesOf(type: EmailType): string[];
  ownContent(type: EmailType): TemplateContent;
  defaultTenant: string;
  /** The rules any email's content must keep; answers what is wrong as field and sentence, or null. */
  checkContent(content: RenderedContent): ContentProblem | null | Promise<ContentProblem | null>;
  /** Something was saved or published: what this process holds of it is old. */
  onChange(): void;
}

export function createTemplates(options: TemplatesOptions): Templates {
  const { database, registry, renderer, defaultTenant } = options;

  async function tryOut(
    key: TemplateKey,
    type: EmailType,
    content: TemplateContent,
    data: unknown,
  ): Promise<RenderedContent> {
    const { subject, htmlContent: html, textContent: text } = content;
    const request = { type, lang: key.lang, companyId: key.companyId, data: renderer.checkData(type, data) };
    const rendered = naming(() => renderer.tryOut(request, { subject, html, text }));
    const problem = await options.checkContent(rendered);
    if (problem)
      throw await refusal(problem, html, async (start) => options.checkContent({ ...rendered, html: start }));
    return rendered;
  }

  /** Data cannot be at fault where the sample is ours: then the template is. */
  async function checkWithSample(key: TemplateKey, type: EmailType, content: TemplateContent): Promise<void> {
    const turns = new Turns();
    const size = content.htmlContent.length + (content.textContent?.length ?? 0);
    try {
      for (const sample of sampleVariants(type)) {
        await tryOut(key, type, content, sample);
        await turns.after(size);
      }
    } catch (error) {
      if (!isPostriderError(error) || error.code !== 'INVALID_PAYLOAD') throw error;
      const message = `With the sample data of ${type.type}: ${error.message}`;
      throw new PostriderError('INVALID_TEMPLATE', message, { field: error.field });
    }
  }

  async function change<T>(work: (tx: Parameters<typeof lockTemplates>[0]) => Promise<T>): Promise<T> {
    const done = await (await database()).transaction(async (tx) => {
      await lockTemplates(tx);
      return work(tx);
    });
    options.onChange();
    return done;
  }

  return {
    types: () =>
      registry.list().map((type) => ({
        ...{ type: type.type, portal: type.portal, category: type.category, sensitive: type.sensitive },
        ...{ languages: options.languagesOf(type), sample: type.sample },
      })),
    list: async ({ companyId } = {}) => listTemplates(await database(), checkCompany(companyId)),
    async saveDraft(input, draft, by) {
      const key = checkKey(input, defaultTenant);
      const content = checkDraft(draft);
      await checkWithSample(key, registry.get(key.type), content);
      const updatedBy = checkAuthor(by);
      return change(async (tx) => {
        const open = (await readVersions(tx, key)).find(({ state }) => state === 'draft');
        if (open) return rewriteDraft(tx, open.id, { ...content, updatedBy });
        return insertVersion(tx, key, { ...content, state: 'draft', updatedBy });
      });
    },
    async discardDraft(input) {
      const key = checkKey(input, defaultTenant);
      return change((tx) => deleteDraft(tx, key));
    },
    async publish(input, by) {
      const key = checkKey(input, defaultTenant);
      const type = registry.get(key.type);
      return change(async (tx) => {
        const draft = (await readVersions(tx, key)).find(({ state }) => state === 'draft');
        if (!draft) throw notFound(key, 'has no draft to publish');
        // The type or the texts may have changed since it was saved.
        await checkWithSample(key, type, draft);
        await retirePublished(tx, key);
        await raiseRevision(tx);
        return markPublished(tx, draft.id, checkAuthor(by));
      });
    },
    async rollBack(input, by, asked) {
      const version = checkVersion(asked);
      const key = checkKey(input, defaultTenant);
      const type = registry.get(key.type);
      return change(async (tx) => {
        const versions = await readVersions(tx, key);
        const target = versions.find((one) =>
          version === undefined ? one.state === 'retired' : one.version === version && one.state !== 'draft',
        );
        if (!target)
          throw notFound(key, version === undefined ? 'has no earlier version' : `has no version ${version}`);
        await checkWithSample(key, type, target);
        await retirePublished(tx, key);
        await raiseRevision(tx);
        return insertVersion(tx, key, {
          ...contentOf(target),
          state: 'published',
          updatedBy: checkAuthor(by),
        });
      });
    },
    async setActive(input, isActive, by) {
      const key = checkKey(input, defaultTenant);
      if (typeof isActive !== 'boolean') throw invalidPayload('isActive', 'must be true or false');
      return change(async (tx) => {
        const published = (await readVersions(tx, key)).find(({ state }) => state === 'published');
        if (!published) throw notFound(key, 'has no published version');
        await raiseRevision(tx);
        return markActive(tx, published.id, isActive, checkAuthor(by));
      });
    },
    listVersions: async (key) => readVersions(await database(), checkKey(key, defaultTenant)),
    own: (type) => options.ownContent(registry.get(type)),
    async preview(input, { data, content, version: asked } = {}) {
      const version = checkVersion(asked);
      const key = checkKey(input, defaultTenant);
      const type = registry.get(key.type);
      if (content) return withWarnings(await tryOut(key, type, checkDraft(content), data ?? type.sample));
      const versions = await readVersions(await database(), key);
      const shown = versions.find((one) =>
        version === undefined ? one.state === 'published' && one.isActive : one.version === version,
      );
      if (shown) return withWarnings(await tryOut(key, type, shown, data ?? type.sample));
      if (version !== undefined) throw notFound(key, `has no version ${version}`);
      const checked = renderer.checkData(type, data ?? type.sample);
      return withWarnings(renderer.render({ type, lang: key.lang, companyId: key.companyId, data: checked }));
    },
  };
}

function withWarnings(content: RenderedContent): PreviewedContent {
  return { ...content, warnings: checkClientHtml(content) };
}

/** With the line where the template itself says it; what only comes about with data has none. */
async function refusal(
  { field, message }: ContentProblem,
  html: string,
  check: (start: string) => Promise<ContentProblem | null>,
): Promise<PostriderError> {
  const isAtFault = async (start: string) => (await check(start))?.message === message;
  const line = field === 'html' ? await findLine(html, isAtFault) : null;
  const told = line === null ? message : `html line ${line}: ${message.slice('html '.length)}`;
  return new PostriderError('INVALID_TEMPLATE', told, { field: FIELDS[field] ?? field });
}

/** What is broken is named as the author named it. */
function naming<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isPostriderError(error) || error.code !== 'INVALID_TEMPLATE') throw error;
    const field = FIELDS[error.field ?? ''] ?? error.field;
    throw new PostriderError('INVALID_TEMPLATE', error.message, { field, cause: error });
  }
}

const FIELDS: Record<string, string> = { html: 'htmlContent', text: 'textContent' };

interface ContentProblem {
  field: string;
  message: string;
}

function contentOf({ subject, htmlContent, textContent }: TemplateContent): TemplateContent {
  return { subject, htmlContent, textContent };
}

function notFound({ type, lang }: TemplateKey, what: string): PostriderError {
  return new PostriderError('NOT_FOUND', `The override of ${type} in ${lang} ${what}.`, { field: 'type' });
}
