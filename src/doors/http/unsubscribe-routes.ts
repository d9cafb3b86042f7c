/**
 * Where an unsubscribe link leads. Looking never changes anything, since mail scanners follow every link; a POST does:
 * one click (RFC 8058) from a mail program, or a form of the page. No cookie, no script, nothing about the person but
 * the kinds of email; a link that is not ours is a 404 that looks the same whatever is wrong with it.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
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

const MAX_FORM_BYTES = 8 * 1024;
// Nothing but its own style and its own form.
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/** A form of either kind: mail programs may send multipart (RFC 8058, 3.2). */
async function readForm(c: Context): Promise<URLSearchParams> {
  const text = await readBounded(c.req.raw);
  const type = c.req.header('content-type') ?? '';
  if (/^multipart\/form-data/i.test(type)) {
    const oneClick = /name="?List-Unsubscribe"?\r?\n(?:[^\r\n]+\r?\n)*\r?\nOne-Click\r?\n/i.test(text);
    return new URLSearchParams(oneClick ? 'List-Unsubscribe=One-Click' : '');
  }
  return new URLSearchParams(text);
}

async function readBounded(request: Request): Promise<string> {
  if (request.body === null) return '';
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(chunks).toString('utf8');
    size += value.byteLength;
    if (size > MAX_FORM_BYTES)
      throw new PostriderError('PAYLOAD_TOO_LARGE', `The form is larger than ${MAX_FORM_BYTES} bytes.`);
    chunks.push(value);
  }
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
