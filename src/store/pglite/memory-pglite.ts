import type { PgliteConnection } from './pglite-connection.js';

/**
 * A PGlite that lives as long as the process and whose time can be moved: `now()` and `clock_timestamp()` of our
 * statements are found before PostgreSQL's own. For tests; nothing of it reaches a disk.
 */
export async function openMemoryPglite(): Promise<MemoryPglite> {
  // Only tests pay for loading it here; the embedded store has it in a thread.
  const { PGlite } = await import('@electric-sql/pglite');
  const pglite = await PGlite.create();
  await pglite.exec(MOVABLE_TIME);
  return Object.assign(pglite, {
    async moveTime(byMs: number) {
      await pglite.query("select set_config('postrider_time.moved_ms', $1, false)", [String(byMs)]);
    },
  });
}

export interface MemoryPglite extends PgliteConnection {
  /** How far ahead of the machine's time it is from now on. */
  moveTime(byMs: number): Promise<void>;
}

const MOVABLE_TIME = `
  create schema postrider_time;
  set postrider_time.moved_ms = '0';
  create function postrider_time.moved() returns interval language sql stable
    as $$ select make_interval(secs => current_setting('postrider_time.moved_ms')::double precision / 1000) $$;
  create function postrider_time.now() returns timestamptz language sql stable
    as $$ select pg_catalog.now() + postrider_time.moved() $$;
  create function postrider_time.clock_timestamp() returns timestamptz language sql volatile
    as $$ select pg_catalog.clock_timestamp() + postrider_time.moved() $$;
  set search_path = postrider_time, pg_catalog, public;
`;
