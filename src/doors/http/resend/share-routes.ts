/**
 * A link under which anybody may look at one email for a while, without a key: its HTML in a page that can run nothing
 * and load nothing. Of sensitive types, and of what is no longer kept, there is none.
 */
import { Hono } from 'hono';
import { PostriderError } from '../../../kernel/index.js';
import { FRAME_POLICY, streamHtml } from '../../inbox/index.js';
import type { HttpEnv } from '../request-context.js';
import { holdsContent } from '../request-memory.js';
import { callerCompany } from './caller-company.js';
import { emailIdOf, notFound, type ResendRouteOptions } from './email-routes.js';
import { linkTo } from './link-to.js';
import { readBody } from './read-body.js';

export function resendShareRoutes({ rooms, clock }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.post('/emails/:id/share', async (c) => {
    const { expires_in: wanted } = await readBody(c);
    const lastsMs = wanted === undefined ? USUAL_MS : durationOf(wanted);
    const companyId = callerCompany(c, rooms.defaultCompany);
    const emailId = emailIdOf(c);
    const email = await rooms.emails.find(companyId, emailId, holdsContent(c));
    if (email === null) throw notFound();
    if (email.html === null)
      throw new PostriderError('INVALID_PAYLOAD', 'There is nothing of this email to show.', { field: 'id' });
    const token = rooms.links.sign({
      ...{ companyId, emailId, attachmentId: WHOLE, expiresAt: clock.now() + lastsMs },
    });
    return c.json({ object: 'email', id: emailId, url: linkTo(c, `shared/${token}`, rooms.publicUrl) });
  });

  routes.get('/shared/:token', async (c) => {
    const link = await rooms.links.read(c.req.param('token'));
    if (link?.attachmentId !== WHOLE) throw notFound();
    const email = await rooms.emails.shown(link.companyId, link.emailId, holdsContent(c));
    if (email === null || email.html === null) throw notFound();
    return c.body(streamHtml(email), 200, {
      'Content-Type': 'text/html; charset=UTF-8',
      'Content-Security-Policy': FRAME_POLICY,
      'Cache-Control': 'private, no-store',
      'X-Robots-Tag': 'noindex',
      'Referrer-Policy': 'no-referrer',
    });
  });

  return routes;
}

/** Where a link to a file has the file's id. */
const WHOLE = 'email';
const HOUR_MS = 3_600_000;
const USUAL_MS = 48 * HOUR_MS;
const MOST_MS = 7 * 24 * HOUR_MS;
const UNITS: ReadonlyArray<readonly [RegExp, number]> = [
  [/^s(?:ec(?:ond)?s?)?$/i, 1000],
  [/^m(?:in(?:ute)?s?)?$/i, 60_000],
  [/^h(?:(?:ou)?rs?)?$/i, HOUR_MS],
  [/^d(?:ays?)?$/i, 24 * HOUR_MS],
];
const DURATION = /^(\d{1,6}) ?([a-z]{1,10})$/i;

function durationOf(input: unknown): number {
  const [, count = '', unit = ''] = (typeof input === 'string' && DURATION.exec(input)) || [];
  const [, unitMs] = UNITS.find(([named]) => named.test(unit)) ?? [null, 0];
  const ms = Number(count) * unitMs;
  if (ms > 0 && ms <= MOST_MS) return ms;
  throw new PostriderError(
    'INVALID_PAYLOAD',
    'expires_in must be a time such as 30m, 12h or 7d, 7d at most.',
    {
      field: 'expires_in',
    },
  );
}
