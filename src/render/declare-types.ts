import { isPostriderError, type Logger, messageOf } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import type { EmailRegistry } from './email-registry.js';

/**
 * Writes what the types of this process declare to where accept_v1 reads it. Each process writes its own and removes none:
 * two applications with different types may share a store. An application's declaration stands before a built-in one
 * of the same name, whichever process starts last. A role that may not write there goes on without.
 */
export async function declareTypes(
  database: Queryable,
  { registry, logger }: { registry: EmailRegistry; logger: Logger },
): Promise<void> {
  const types = [...registry.list()].sort((a, b) => (a.type < b.type ? -1 : 1));
  try {
    await database.query(DECLARE, [
      types.map(({ type }) => type),
      types.map(({ category }) => category),
      // as text: postgres.js takes a list of booleans for one
      types.map(({ essential }) => String(essential)),
      types.map(({ sensitive }) => String(sensitive)),
      types.map(({ type }) => String(registry.isOwn(type))),
    ]);
  } catch (error) {
    if (!isPostriderError(error) || error.code !== 'STORE_REFUSED') throw error;
    logger.warn({ err: messageOf(error) }, 'accept_v1 is not told the types of this process');
  }
}

// What is there already is not written again. In the order of their names, so that two processes do not wait for each other.
const DECLARE = {
  name: 'render_declare_types',
  text: `
    insert into postrider.declared_types as d (type, category, essential, sensitive, own)
    select g.type, g.category, g.essential::boolean, g.sensitive::boolean, g.own::boolean
    from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) g(type, category, essential, sensitive, own)
    where not exists (
      select 1 from postrider.declared_types k where k.type = g.type and ((k.own and not g.own::boolean)
        or (k.category, k.essential, k.sensitive, k.own) = (g.category, g.essential::boolean, g.sensitive::boolean, g.own::boolean))
    )
    order by g.type
    on conflict (type) do update
    set category = excluded.category, essential = excluded.essential, sensitive = excluded.sensitive, own = excluded.own,
      declared_at = clock_timestamp()
    where excluded.own or not d.own`,
};
