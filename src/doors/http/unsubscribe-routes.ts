/**
 * Where an unsubscribe link leads. Looking never changes anything, since mail scanners follow every link; a POST does:
 * one click (RFC 8058) from a mail program, or a form of the page. No cookie, no script, nothing about the person but
 * the kinds of email; a link that is not ours is a 404 that looks the same whatever is wrong with it.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import { bodyOf, readBytes } from './read-body.js';
import type { HttpEnv } from './request-context.js';
import { type PageState, unsubscribePage } from './unsubscribe-page.js';
import type { ShownSubscriptions, SubscriptionWish, UnsubscribeRoom } from './unsubscribe-room.js';
import { languageOf, textsOf } from './unsubscribe-texts.js';

export function unsubscribeRoutes(room: UnsubscribeRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  const page = (c: Context<HttpEnv>, state: PageState, status: 200 | 404 = 200) => {
    const language = languageOf(c.req.query('lang'), c.req.header('accept-language'));
    c.header('Content-Security-Policy', PAGE_POLICY);
    c.header('Content-Language', language);
    c.header('X-Robots-Tag', 'noindex');
    c.header('Vary', 'Accept-Language');
    return c.html(unsubscribePage(state, { language, texts: textsOf(language) }), status);
  };

  routes.get('/u/:token', async (c) => {
    const shown = await room.show(c.req.param('token'));
    if (shown === null) return page(c, { kind: 'unknown' }, 404);
    return page(c, { kind: 'shown', ...shown, done: c.req.query('done') !== undefined });
  });

  routes.post('/u/:token', async (c) => {
    const token = c.req.param('token');
    const form = await readForm(c);
    const shown = await room.show(token);
    if (shown === null) return page(c, { kind: 'unknown' }, 404);
    const wish = wishOf(form, shown);
    await room.change(token, wish);
    if (wish.by === 'one-click') return c.text('', 200);
    const query = { region: c.get('region'), lang: c.req.query('lang') };
    const kept = Object.entries(query).map(([name, value]) =>
      value === undefined ? '' : `&${name}=${encodeURIComponent(value)}`,
    );
    return c.redirect(`?done${kept.join('')}`, 303);
  });

  return routes;
}

// Nothing but its own style and its own form.
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A form of either kind: mail programs may send multipart (RFC 8058, 3.2). */
async function readForm(c: Context<HttpEnv>): Promise<URLSearchParams> {
  const text = (await readBytes(bodyOf(c))).toString('utf8');
  const type = c.req.header('content-type') ?? '';
  if (/^multipart\/form-data/i.test(type)) {
    return new URLSearchParams(isOneClick(text) ? 'List-Unsubscribe=One-Click' : '');
  }
  return new URLSearchParams(text);
}

/** Whether the value of the field, behind the empty line after its header, is the one there is. */
function isOneClick(multipart: string): boolean {
  const { index, 0: line } = /name="?List-Unsubscribe"?\r?\n/i.exec(multipart) ?? { index: -1, 0: '' };
  if (index === -1) return false;
  // From the line's own end, since the empty line may follow at once.
  const rest = multipart.slice(index + line.length - 1);
  const [, value = ''] = /\n\r?\n([^\r\n]{0,20})\r?\n/.exec(rest) ?? [];
  return value.toLowerCase() === 'one-click';
}

/** Only kinds the page shows can be chosen: a form is no way to write anything else into a person's preferences. */
function wishOf(form: URLSearchParams, { category, categories }: ShownSubscriptions): SubscriptionWish {
  if (form.get('List-Unsubscribe') === 'One-Click') return { refuse: [category], want: [], by: 'one-click' };
  switch (form.get('action')) {
    case 'one':
      return { refuse: [category], want: [], by: 'page' };
    case 'all':
      return { refuse: [null], want: [], by: 'page' };
    case 'choose': {
      const kept = new Set(form.getAll('keep'));
      const names = categories.map(({ name }) => name);
      return {
        refuse: names.filter((name) => !kept.has(name)),
        want: names.filter((name) => kept.has(name)),
        by: 'page',
      };
    }
    default:
      throw new PostriderError('INVALID_PAYLOAD', 'The form says nothing this page understands.', {
        field: 'action',
      });
  }
}
