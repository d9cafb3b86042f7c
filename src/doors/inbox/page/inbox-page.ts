/** The inbox page, whole. */
import { devPage } from '../../dev-page/index.js';
import { LIST_SCRIPT } from './list-script.js';
import { MARKUP } from './markup.js';
import { MESSAGE_SCRIPT } from './message-script.js';
import { STYLE } from './style.js';

export function inboxPage(): { html: string; policy: string } {
  const script = `'use strict';\n${MESSAGE_SCRIPT}${LIST_SCRIPT}`;
  return devPage({ title: 'Inbox', markup: MARKUP, style: STYLE, script });
}
