import { inspectMarkup } from './inspecting-parser.js';
import { isSurelyInert } from './is-surely-inert.js';

/**
 * Says what in a piece of HTML could run in a reader's mail client, as the end of a sentence that begins with
 * "html", or null when nothing could: script elements, event handlers, script URLs, CSS that executes; however they
 * are encoded, and inside comments too. Takes time in proportion to the input and a bounded stack; HTML that
 * needs a look but is nested or multiplied beyond reason is refused instead of examined. Of nearly all HTML it says at
 * once that there is nothing; the look itself takes turns with other work.
 */
export function findActiveContent(html: string): null | Promise<string | null> {
  return isSurelyInert(html) ? null : inspectMarkup(html);
}
