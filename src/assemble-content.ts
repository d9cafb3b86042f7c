import type { Config } from './config.js';
import type { Content } from './intake/index.js';
import type { Clock, Logger } from './kernel/index.js';
import { checkContent } from './policy/index.js';
import {
  type BrandInput,
  catalogue,
  checkBrands,
  checkTemplates,
  createEmailRegistry,
  createOverrideCache,
  createRenderer,
  createTemplateFiles,
  createTemplates,
  declareTypes,
  type EmailRegistry,
  type EmailType,
  languagesOf,
  type OverrideCache,
  ownContent,
  type Templates,
} from './render/index.js';
import type { Database } from './store/index.js';

/** What makes content of types and data, put together for one process: the catalogue, the application's own types, overrides. */
export interface AssembledContent {
  registry: EmailRegistry;
  templates: Templates;
  /** What intake on this store renders with. */
  forStore(database: Database): Content;
  /** Tells the store what types there are; returns it. */
  declareTo(database: Database): Promise<Database>;
}

export interface ContentParts {
  types: readonly EmailType[];
  /** Instead of those configured. */
  brands?: readonly BrandInput[] | undefined;
  database: () => Promise<Database>;
  clock: Clock;
  logger: Logger;
}

export function assembleContent(
  config: Config,
  { types, brands, database, clock, logger }: ContentParts,
): AssembledContent {
  const registry = createEmailRegistry(catalogue, types);
  const files = createTemplateFiles();
  const looks = {
    files,
    appUrl: config.render.appUrl,
    brands: brands ? checkBrands(brands) : (config.brands ?? []),
  };
  for (const type of types) checkTemplates(type, looks);
  const renderer = createRenderer(looks);
  const caches: OverrideCache[] = [];
  function cacheOf(store: Database): OverrideCache {
    const cache = createOverrideCache({ database: store, clock, logger });
    caches.push(cache);
    return cache;
  }
  return {
    registry,
    templates: createTemplates({
      ...{ database, registry, renderer, checkContent },
      languagesOf: (type) => languagesOf(type, files),
      ownContent: (type) => ownContent(type, files),
      defaultTenant: config.email.defaultCompany,
      onChange() {
        for (const cache of caches) cache.forget();
      },
    }),
    async declareTo(store) {
      await declareTypes(store.prompt(), { registry, logger });
      return store;
    },
    forStore: (store) => ({
      registry,
      renderer,
      overrides: config.render.sourceMode === 'database' ? cacheOf(store) : null,
    }),
  };
}
