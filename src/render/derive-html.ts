import { escapeHtml } from './escape-html.js';

/**
 * A minimal HTML document from plain text: escaped, a paragraph for each block of lines, line breaks kept. Shows
 * what was written and nothing else: no link is invented, no style is chosen.
 */
export function deriveHtml(text: string): string {
  const paragraphs = text
    .replace(/\r\n?/g, '\n')
    .split(/\n{2,}/)
    .filter((paragraph) => /\S/.test(paragraph))
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replaceAll('\n', '<br>\n')}</p>`);
  return `<!DOCTYPE html>\n<html>\n<head><meta charset="utf-8"></head>\n<body>\n${paragraphs.join('\n')}\n</body>\n</html>\n`;
}
