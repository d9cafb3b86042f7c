import type { Queryable } from '../store/index.js';

/** Routes by which nothing goes now: their circuit is not closed, or they are paused. */
export async function readUnusableRoutes(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select name from postrider.routes where state <> 'closed'
     union select value from postrider.pauses where scope = 'route'`,
  );
  return rows.map(({ name }) => name);
}
