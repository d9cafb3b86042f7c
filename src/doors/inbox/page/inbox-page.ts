/**
 * The inbox page as one document without a second request. Its policy names the hashes of its own style
 * and script and nothing else, so that even markup that slipped in could not run.
 */
import { createHash } from 'node:crypto';
import { LIST_SCRIPT } from './list-script.js';
import { MARKUP } from './markup.js';
import { MESSAGE_SCRIPT } from './message-script.js';
import { STYLE } from './style.js';

export function inboxPage(): { html: string; policy: string } {
  const script = `'use strict';\n${MESSAGE_SCRIPT}${LIST_SCRIPT}`;
  const html = MARKUP.replace('/*style*/', () => STYLE).replace('/*script*/', () => script);
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(STYLE)}'`,
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

function hashOf(content: string): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}
