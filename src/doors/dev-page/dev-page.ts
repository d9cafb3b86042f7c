/**
 * A page for development as one document without a second request. Its policy names the hashes of its own style and
 * script and nothing else, so that even markup that slipped in could not run.
 */
import { createHash } from 'node:crypto';
import { BASE_STYLE } from './base-style.js';

export interface DevPageParts {
  title: string;
  /** What stands in the body, but for the script. */
  markup: string;
  style: string;
  script: string;
}

export function devPage({ title, markup, style, script }: DevPageParts): { html: string; policy: string } {
  const look = `${BASE_STYLE}${style}`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Postrider</title>
<link rel="icon" href="${ICON}">
<style>${look}</style>
</head>
<body>
${markup}<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(look)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    "frame-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%23356072'/%3E%3Cpath d='M7 11l9 7 9-7M7 10h18v13H7z' fill='none' stroke='white' stroke-width='2' stroke-linejoin='round'/%3E%3C/svg%3E";

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
