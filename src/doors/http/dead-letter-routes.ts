/**
 * The routes about dead letters: look, count by error, try again, take off the list; one at a time or many. Many
 * answer with counts, one answers with the reason why not.
 */
import { type Context, Hono } from 'hono';
import { actorOf } from '../../access/index.js';
import { fields, PostriderError } from '../../kernel/index.js';
import { whichDeadLetters } from '../../outbox/index.js';
import { emailIdOf } from './email-routes.js';
import type { HttpOperations, HttpRooms } from './http-rooms.js';
import { DEAD_LETTER_GROUPS_QUERY, DEAD_LETTERS_QUERY } from './list-queries.js';
import { ACT_FIELDS, readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function deadLetterRoutes(
  { deadLetters }: HttpOperations,
  timeline: HttpRooms['timeline'],
): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/dead-letters', async (c) =>
    c.json(await deadLetters.list(readQuery(c, DEAD_LETTERS_QUERY))),
  );

  routes.get('/admin/dead-letters/groups', async (c) =>
    c.json({ groups: await deadLetters.groups(readQuery(c, DEAD_LETTER_GROUPS_QUERY)) }),
  );

  routes.get('/admin/dead-letters/:id', async (c) => {
    const id = emailIdOf(c);
    const letter = await deadLetters.get(id);
    if (letter === null)
      throw new PostriderError('EMAIL_NOT_FOUND', `There is no dead letter ${id}.`, { field: 'id' });
    return c.json({ ...letter, events: (await timeline(id)) ?? [] });
  });

  routes.post('/admin/dead-letters/retry', async (c) => {
    const { acceptDuplicates = false, ...which } = await readAct(c, RETRY.many);
    return c.json(await deadLetters.retry(which, { acceptDuplicates, by: by(c) }));
  });

  routes.post('/admin/dead-letters/discard', async (c) => {
    const { reason, ...which } = await readAct(c, DISCARD.many);
    return c.json(await deadLetters.discard(which, { ...(reason !== undefined && { reason }), by: by(c) }));
  });

  routes.post('/admin/dead-letters/:id/retry', async (c) => {
    const id = emailIdOf(c);
    const { acceptDuplicates = false } = await readAct(c, RETRY.one);
    const report = await deadLetters.retry({ emailIds: [id] }, { acceptDuplicates, by: by(c) });
    if (report.retried === 0) throw refusal(id, report.examples[0]?.reason ?? 'not-found');
    return c.json({ emailId: id, retried: true }, 202);
  });

  routes.post('/admin/dead-letters/:id/discard', async (c) => {
    const id = emailIdOf(c);
    const why = await readAct(c, DISCARD.one);
    const { discarded } = await deadLetters.discard({ emailIds: [id] }, { ...why, by: by(c) });
    if (discarded === 0)
      throw new PostriderError('EMAIL_NOT_FOUND', `There is no dead letter ${id}.`, { field: 'id' });
    return c.json({ emailId: id, discarded: true });
  });

  return routes;
}

const { acceptDuplicates: flag, reason: why } = ACT_FIELDS;
export const RETRY = {
  many: whichDeadLetters({ acceptDuplicates: flag }),
  one: fields({ acceptDuplicates: flag }),
} as const;
export const DISCARD = { many: whichDeadLetters({ reason: why }), one: fields({ reason: why }) } as const;

function by(c: Context<HttpEnv>): string {
  return actorOf(c.get('caller')).name;
}

function refusal(id: string, reason: string): PostriderError {
  const field = 'id';
  switch (reason) {
    case 'not-found':
      return new PostriderError('EMAIL_NOT_FOUND', `There is no email ${id}.`, { field });
    case 'needs-confirmation':
      return new PostriderError('DUPLICATE_POSSIBLE', 'The email may have been delivered already.', {
        field,
      });
    case 'content-gone':
      return new PostriderError('DEAD_LETTER_NOT_RETRYABLE', 'Its content has been removed.', { field });
    case 'expired':
      return new PostriderError('DEAD_LETTER_NOT_RETRYABLE', 'Its expiresAt has passed.', { field });
    default:
      return new PostriderError('DEAD_LETTER_NOT_RETRYABLE', 'It is not a dead letter.', { field });
  }
}
