/** Whom a broadcast reached and what they followed, as providers have told. */
import { type Context, Hono } from 'hono';
import { invalidPayload, PostriderError, parseChoice, parseMailbox } from '../../../kernel/index.js';
import type { ReachedPerson } from '../../../views/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { listOf, pageQuery } from './list-page.js';

export function resendBroadcastReachRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { broadcasts, emails, defaultCompany } = rooms;

  async function found(c: Context<HttpEnv>): Promise<{ company: string; broadcastId: string }> {
    const company = callerCompany(c, defaultCompany);
    const broadcast = await broadcasts.find(company, (c.req.param('broadcast') ?? '').toLowerCase());
    if (broadcast === null) throw new PostriderError('NOT_FOUND', 'Broadcast not found', { field: 'id' });
    return { company, broadcastId: broadcast.id };
  }

  routes.get('/broadcasts/:broadcast/recipients', async (c) => {
    const { type: said, email, bounce_type: bounce } = c.req.query();
    const type = parseChoice(said, 'type', TYPES);
    if (type === null) throw invalidPayload('type', `must be one of ${TYPES.join(', ')}`);
    const bounceType = parseChoice(bounce, 'bounce_type', BOUNCES);
    if (bounceType !== null && type !== 'bounced')
      throw invalidPayload('bounce_type', 'goes with the type bounced');
    const { company, broadcastId } = await found(c);
    const { people, more } = await emails.reached(company, {
      ...{ broadcastId, what: type.toUpperCase(), bounceType },
      address: email === undefined ? null : parseMailbox(email, 'email').address,
      ...pageQuery(c),
    });
    return c.json(listOf(people.map(PRESENTED[type] ?? base), more));
  });

  routes.get('/broadcasts/:broadcast/clicked-links', async (c) => {
    const { limit, after, before } = pageQuery(c);
    const { company, broadcastId } = await found(c);
    const links = (await emails.clickedLinks(company, broadcastId)).map(({ people, ...link }) => ({
      ...link,
      unique_clicks: people,
    }));
    const cursor = links.findIndex(({ id }) => id === (after ?? before));
    if (before !== null) {
      const earlier = links.slice(0, Math.max(0, cursor));
      return c.json(listOf(earlier.slice(-limit), earlier.length > limit));
    }
    const later = after !== null && cursor === -1 ? [] : links.slice(cursor + 1);
    return c.json(listOf(later.slice(0, limit), later.length > limit));
  });

  return routes;
}

const TYPES = [
  ...(['sent', 'delivered', 'opened', 'clicked'] as const),
  ...(['bounced', 'complained', 'unsubscribed', 'suppressed'] as const),
];
const BOUNCES = ['permanent', 'transient', 'undetermined'] as const;

const base = ({ id, recipientId, email }: ReachedPerson) => ({ id, contact_id: recipientId, email });

const PRESENTED: Partial<Record<(typeof TYPES)[number], (person: ReachedPerson) => object>> = {
  opened: (person) => ({ ...base(person), count: person.times }),
  clicked: (person) => ({
    ...base(person),
    count: person.times,
    clicked_links: [...new Set(person.links)].map((url) => ({
      url,
      clicks: person.links.filter((one) => one === url).length,
    })),
  }),
  bounced: (person) => ({ ...base(person), bounce_type: person.bounceType }),
};
