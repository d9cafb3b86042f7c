/** The files of an email, from what `shownFiles` gave as text; what is no file, as a hand may have written it, is left out. */
export interface ReadFile {
  filename: string;
  contentType: string;
  contentId?: string;
  /** base64 */
  content: string;
}

export function readFiles(text: string | null): ReadFile[] {
  return text === null ? [] : (JSON.parse(text) as unknown[]).flatMap(readFile);
}

export const UNKNOWN_TYPE = 'application/octet-stream';

function readFile(file: unknown): ReadFile[] {
  const { filename, contentType, contentId, content } = (file ?? {}) as Record<string, unknown>;
  if (typeof filename !== 'string' || typeof content !== 'string') return [];
  return [
    {
      filename,
      contentType: typeof contentType === 'string' ? contentType : UNKNOWN_TYPE,
      ...(typeof contentId === 'string' && { contentId }),
      content,
    },
  ];
}
