/**
 * The templates as a developer works on them: every type, the application's own too, shown with sample data or other,
 * read again whenever a file changes. Nothing here writes to the store; a template that is broken is an error with file
 * and line.
 */
import { type Clock, isPostriderError, type Logger, messageOf, PostriderError } from '../../kernel/index.js';
import {
  checkClientHtml,
  createEmailRegistry,
  createRenderer,
  createTemplateFiles,
  type EmailType,
  languagesOf,
  type RendererOptions,
  type TypeAttachment,
  templateRoot,
} from '../../render/index.js';
import { templateFolders, watchFolders } from './watch-folders.js';

export interface Preview {
  /** What there is to choose from. */
  list(): PreviewList;
  /** Throws INVALID_PAYLOAD, INVALID_TEMPLATE or UNKNOWN_TYPE. */
  render(request: PreviewRequest): Shown;
  /** The HTML of something shown lately, or undefined. */
  frame(id: string): Pick<Shown, 'html' | 'attachments'> | undefined;
  /** Tells of every change to the files until the returned function is called. */
  subscribe(listener: () => void): () => void;
  stop(): void;
}

export interface PreviewList {
  types: Array<{
    type: string;
    portal: string;
    category: string;
    languages: string[];
    samples: Record<string, unknown>;
  }>;
  /** Those with a brand of their own. */
  companies: string[];
}

export interface PreviewRequest {
  type: string;
  lang: string;
  data: unknown;
  /** Whose brand it wears; '' is everyone's. */
  companyId: string;
}

export interface Shown {
  id: string;
  subject: string;
  html: string;
  text: string;
  attachments: TypeAttachment[];
  /** What mail programs will not show as it is meant. */
  warnings: string[];
}

export interface PreviewOptions extends Pick<RendererOptions, 'appUrl' | 'brands'> {
  /** The built-in ones. */
  types: readonly EmailType[];
  own?: OwnTypes | undefined;
  clock: Clock;
  logger: Logger;
  /** Holds templates and locales. Defaults to the package's own. */
  folder?: string;
}

/** The application's own types, which win where names are the same. */
export interface OwnTypes {
  types: readonly EmailType[];
  /** Watched for changes. */
  folder: string;
  /** Reads them again. */
  load(): Promise<readonly EmailType[]>;
}

export function createPreview(options: PreviewOptions): Preview {
  const { types, own, appUrl, brands, clock, logger, folder = templateRoot() } = options;
  const listeners = new Set<() => void>();
  const frames = new Map<string, Pick<Shown, 'html' | 'attachments'>>();
  let registry = createEmailRegistry(types, own?.types);
  /** Why the application's types could not be read again, or null. */
  let problem: PostriderError | null = null;
  let shown = 0;
  let { files, renderer } = read();

  function read() {
    const fresh = createTemplateFiles(folder);
    return { files: fresh, renderer: createRenderer({ files: fresh, appUrl, brands }) };
  }

  async function readOwn(from: OwnTypes): Promise<void> {
    try {
      registry = createEmailRegistry(types, await from.load());
      problem = null;
    } catch (error) {
      problem = new PostriderError('INVALID_TEMPLATE', messageOf(error), { cause: error });
    }
  }

  const watched = [...templateFolders(folder), ...(own ? [own.folder] : [])];
  const stopWatching = watchFolders(watched, logger, async () => {
    ({ files, renderer } = read());
    if (own) await readOwn(own);
    for (const listener of listeners) listener();
  });

  function keep(made: Pick<Shown, 'html' | 'attachments'>): string {
    shown += 1;
    const id = String(shown);
    frames.set(id, made);
    if (frames.size > MAX_FRAMES) frames.delete(frames.keys().next().value!);
    return id;
  }

  return {
    list: () => ({
      types: registry.list().map((type) => ({
        ...{ type: type.type, portal: type.portal, category: type.category },
        languages: languagesOf(type, files),
        samples: { sample: type.sample, ...type.moreSamples },
      })),
      companies: renderer.companies(),
    }),
    render({ type: name, lang, data, companyId }) {
      if (problem) throw problem;
      const type = registry.get(name);
      const checked = renderer.checkData(type, data);
      const { images = [], ...content } = named(() =>
        renderer.render({ type, lang, data: checked, companyId }),
      );
      const at = new Date(clock.now());
      const attachments = [...images, ...renderer.attachments({ type, data: checked, companyId, at })];
      return {
        ...{ ...content, attachments },
        id: keep({ html: content.html, attachments }),
        warnings: checkClientHtml(content),
      };
    },
    frame: (id) => frames.get(id),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: stopWatching,
  };
}

const MAX_FRAMES = 50;

/** A locale or brand that is no JSON is the developer's to mend, not a fault of ours. */
function named<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isPostriderError(error)) throw error;
    throw new PostriderError('INVALID_TEMPLATE', messageOf(error), { cause: error });
  }
}
