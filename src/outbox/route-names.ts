import type { Clock } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';

/**
 * The routes there may be work for: the configured ones, and whatever other names wait in the queue
 * because they came by SQL or are not configured any more. Looks a few times a minute.
 */
export function createRouteNames(
  database: Queryable,
  options: { configured: readonly string[]; clock: Clock },
): () => Promise<readonly string[]> {
  const { configured, clock } = options;
  let names: readonly string[] = configured;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.monotonic() - lookedAt < LOOK_MS) return names;
    const { rows } = await database.query<{ route: string }>(WAITING_ROUTES);
    lookedAt = clock.monotonic();
    names = [...new Set([...configured, ...rows.map((row) => row.route)])];
    return names;
  };
}

const LOOK_MS = 2000;
/** Each is a claim of its own. Names that nobody configured have their turn as those before them are sent. */
const MOST_NAMES = 200;

// Loose index scans: one probe per name, however many rows wait.
const WAITING_ROUTES = {
  name: 'outbox_waiting_routes',
  text: `
    with recursive ready(route) as (
      (select route from postrider.email_queue where ready order by route limit 1)
      union all
      select (select q.route from postrider.email_queue q where q.ready and q.route > ready.route
              order by q.route limit 1)
      from ready where ready.route is not null
    ), suspect(route) as (
      (select route from postrider.email_queue where suspect and owner is null order by route limit 1)
      union all
      select (select q.route from postrider.email_queue q
              where q.suspect and q.owner is null and q.route > suspect.route order by q.route limit 1)
      from suspect where suspect.route is not null
    )
    select route from ready where route is not null
    union
    select route from suspect where route is not null
    order by route limit ${MOST_NAMES}`,
};
