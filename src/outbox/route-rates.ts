import type { Queryable } from '../store/index.js';

/**
 * Rates all processes share, as token buckets by the database's clock. A bucket holds half a second's
 * worth, so that a pause is not made up for by a burst, and at least one token.
 */
export function createRouteRates(database: Queryable) {
  return {
    async take(
      bucket: { route: string; domain: string; ratePerSecond: number },
      want: number,
    ): Promise<number> {
      const { route, domain, ratePerSecond } = bucket;
      const capacity = Math.max(1, ratePerSecond * BUCKET_SECONDS);
      const { rows } = await database.query<{ granted: number }>(TAKE, [
        route,
        domain,
        ratePerSecond,
        capacity,
        Math.max(0, Math.floor(want)),
      ]);
      return rows[0]?.granted ?? 0;
    },
  };
}

const BUCKET_SECONDS = 0.5;

const filled = `least($4::float8, r.tokens +
        greatest(0, extract(epoch from clock_timestamp() - r.refilled_at)::float8) * $3::float8)`;

// A first grant starts an empty bucket with one token, so that a restart is no way around the rate.
const TAKE = {
  name: 'outbox_take_tokens',
  text: `
    insert into postrider.route_rates as r (route, domain, tokens, granted, refilled_at)
    values ($1, $2, 1 - least(1, $5::int), least(1, $5::int), clock_timestamp())
    on conflict (route, domain) do update
    set granted = least(floor(${filled}), $5::int),
      tokens = ${filled} - least(floor(${filled}), $5::int),
      refilled_at = clock_timestamp()
    returning r.granted`,
};
