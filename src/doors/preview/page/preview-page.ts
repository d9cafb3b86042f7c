/**
 * The page of templates as one document without a second request. Its policy names the hashes of its own style and
 * script and nothing else, so that even markup that slipped in could not run.
 */
import { createHash } from 'node:crypto';
import { MARKUP } from './markup.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

export function previewPage(): { html: string; policy: string } {
  const html = MARKUP.replace('/*style*/', () => STYLE).replace('/*script*/', () => SCRIPT);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(STYLE)}'`,
    `script-src '${hashOf(SCRIPT)}'`,
    "connect-src 'self'",
    "frame-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
