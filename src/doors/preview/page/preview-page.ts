/** The page of templates, whole. */
import { devPage } from '../../dev-page/index.js';
import { MARKUP } from './markup.js';
import { SCRIPT } from './script.js';
import { STYLE } from './style.js';

export function previewPage(): { html: string; policy: string } {
  return devPage({ title: 'Templates', markup: MARKUP, style: STYLE, script: SCRIPT });
}
