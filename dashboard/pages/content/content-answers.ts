import type {
  DraftContent,
  PreviewedContent,
  TemplateSummary,
  TemplateType,
  TemplateVersion,
} from '../../../src/render/index.js';

/** What the API says about content, where instants are text and images base64. */
export interface ContentList {
  types: TemplateType[];
  overrides: Array<AsText<TemplateSummary>>;
}

export type VersionSeen = AsText<TemplateVersion>;

export interface VersionList {
  versions: VersionSeen[];
  /** What the code says. */
  own: DraftContent;
}

export type Previewed = Omit<PreviewedContent, 'images'> & {
  images: Array<{ contentType: string; content: string; contentId?: string }>;
};

type AsText<T> = {
  [K in keyof T]: T[K] extends Date ? string : T[K] extends Date | null ? string | null : T[K];
};

/** One type in one language, of one company. */
export interface ContentKey {
  type: string;
  lang: string;
  companyId: string | undefined;
}

export function apiPathOf({ type, lang }: ContentKey): string {
  return `/admin/templates/${encodeURIComponent(type)}/${encodeURIComponent(lang)}`;
}

/** Under which words that are not saved yet are kept in the tab. */
export function keptNameOf({ type, lang, companyId }: ContentKey): string {
  return `content ${JSON.stringify([type, lang, companyId ?? null])}`;
}

export function pagePathOf({ type, lang, companyId }: ContentKey): string {
  const query = companyId === undefined ? '' : `?companyId=${encodeURIComponent(companyId)}`;
  return `/content/${encodeURIComponent(type)}/${encodeURIComponent(lang)}${query}`;
}
