/**
 * The templates as a developer works on them: every type shown with sample data or other, read again whenever a file
 * changes. Nothing here writes to the store; a template that is broken is an error with file and line.
 */
import { isPostriderError, type Logger, messageOf, PostriderError } from '../../kernel/index.js';
import {
  checkClientHtml,
  createEmailRegistry,
  createRenderer,
  createTemplateFiles,
  type EmailType,
  type TypeAttachment,
  templateRoot,
} from '../../render/index.js';
import { watchFolders } from './watch-folders.js';

export interface Preview {
  /** What there is to choose from. */
  list(): PreviewList;
  /** Throws INVALID_PAYLOAD, INVALID_TEMPLATE or UNKNOWN_TYPE. */
  render(request: PreviewRequest): Shown;
  /** The HTML of something shown lately, or undefined. */
  frame(id: string): string | undefined;
  /** Tells of every change to the files until the returned function is called. */
  subscribe(listener: () => void): () => void;
  stop(): void;
}

export interface PreviewList {
  types: Array<{ type: string; portal: string; category: string; samples: Record<string, unknown> }>;
  languages: string[];
}

export interface PreviewRequest {
  type: string;
  lang: string;
  data: unknown;
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

export interface PreviewOptions {
  types: readonly EmailType[];
  appUrl: string | null;
  logger: Logger;
  /** Holds templates and locales. Defaults to the package's own. */
  folder?: string;
}

export function createPreview({ types, appUrl, logger, folder = templateRoot() }: PreviewOptions): Preview {
  const registry = createEmailRegistry(types);
  const listeners = new Set<() => void>();
  const frames = new Map<string, string>();
  let shown = 0;
  let { files, renderer } = read();

  function read() {
    const fresh = createTemplateFiles(folder);
    return { files: fresh, renderer: createRenderer({ files: fresh, appUrl }) };
  }

  const stopWatching = watchFolders(folder, logger, () => {
    ({ files, renderer } = read());
    for (const listener of listeners) listener();
  });

  function keep(html: string): string {
    shown += 1;
    const id = String(shown);
    frames.set(id, html);
    if (frames.size > MAX_FRAMES) frames.delete(frames.keys().next().value!);
    return id;
  }

  return {
    list: () => ({
      types: registry.list().map(({ type, portal, category, sample, moreSamples }) => ({
        ...{ type, portal, category },
        samples: { sample, ...moreSamples },
      })),
      languages: files.languages(),
    }),
    render({ type: name, lang, data }) {
      const type = registry.get(name);
      const checked = renderer.checkData(type, data);
      const content = named(() => renderer.render({ type, lang, data: checked }));
      return {
        ...content,
        id: keep(content.html),
        attachments: type.attachments?.(checked) ?? [],
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
