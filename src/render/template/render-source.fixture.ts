import { assemble } from './assemble.js';
import type { Names } from './bind-expression.js';
import { parseMessage } from './bind-message.js';
import { type BindOptions, bindTemplate } from './bind-template.js';
import { parseTemplate } from './parse-template.js';
import { newScope } from './value.js';

/** Renders a piece of template for a test, with a few texts, a brand and a kit of strings. */
export function renderSource(source: string, data: unknown = {}, options: FixtureOptions = {}): string {
  const { mode = 'html', locale = 'en', texts = {}, kit = {}, fields = null } = options;
  const names: Names = {
    locale,
    constants: { brand: { name: 'Hub & Co', color: '#2c6e63', odd: '"><x' }, locale: { dir: 'ltr' } },
    given: null,
    lists: [],
    shown: null,
    fields: fields && new Set(fields),
    message(key) {
      if (!Object.hasOwn(texts, key)) throw new Error(`there is no text "${key}"`);
      return parseMessage(texts[key]!, locale);
    },
  };
  const piece = (name: string) =>
    Object.hasOwn(kit, name) ? parseTemplate(kit[name]!, `kit/${name}`) : undefined;
  return assemble(bindTemplate(parseTemplate(source, 'test'), { mode, names, piece }))(newScope(data));
}

export interface FixtureOptions {
  mode?: BindOptions['mode'];
  locale?: string;
  texts?: Record<string, string>;
  kit?: Record<string, string>;
  fields?: string[] | null;
}
