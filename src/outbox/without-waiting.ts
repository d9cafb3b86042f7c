import { type Database, type Statement, sqlStateOf } from '../store/index.js';

/**
 * A caller's open transaction that cancels an email holds a lock on its row for as long as the caller likes. A worker's
 * statement about many claims waits for a tenth of a second, and is then executed in a form that passes over what is
 * locked: locking the rows first would cost every email what next to none needs.
 */
export interface ClaimStatement {
  impatient: Statement;
  /** Passes over rows that somebody has locked. */
  skipping: Statement;
}

export async function withoutWaiting<Row>(
  database: Database,
  { impatient, skipping }: ClaimStatement,
  values: readonly unknown[],
): Promise<{ rows: Row[] }> {
  try {
    return await database.query<Row>(impatient, values);
  } catch (error) {
    if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
    return database.query<Row>(skipping, values);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';
const LOCK_MS = 100;

/** Within a statement: until the end of its transaction no lock is waited for longer than a tenth of a second. */
export const PATIENCE = `set_config('lock_timeout', '${LOCK_MS}', true)`;

/**
 * The two forms of an update of claims `s` that are named by id and token. `$1` to `$4` are their ids, their tokens, the
 * worker, and `on` where the commit waits for the disk; `more` are further lists with a value for each claim.
 *
 * Here and wherever a claim is named by id and token, `is not distinct from` keeps the planner off the index of owners: it
 * believes a worker owns one row and would read all of its hundreds.
 */
export function claimStatement({ name, set, returning, more = [], rest }: ClaimUpdate): ClaimStatement {
  const lists = ['$1::uuid[]', '$2::int[]', ...more.map(({ list }) => list)].join(', ');
  const columns = ['id', 'token', ...more.map(({ column }) => column)].join(', ');
  const claims = `unnest(${lists}) s(${columns})`;
  const ours = 'q.id = s.id and q.token = s.token and q.owner is not distinct from $3::int';
  const durability = "set_config('synchronous_commit', $4, true)";
  return {
    impatient: {
      name,
      text: `
    with changed as (
      update postrider.email_queue q set ${set}
      from ${claims}, (select ${durability} || ${PATIENCE} as made) settings
      where ${ours} and settings.made is not null
      returning ${returning}
    )
    ${rest}`,
    },
    skipping: {
      name: `${name}_skipping`,
      text: `
    with free as materialized (
      select s.* from ${claims} join postrider.email_queue q on ${ours} for update of q skip locked
    ), changed as (
      update postrider.email_queue q set ${set}
      from free s, (select ${durability} as made) settings
      where q.id = s.id and settings.made is not null
      returning ${returning}
    )
    ${rest}`,
    },
  };
}

interface ClaimUpdate {
  name: string;
  set: string;
  returning: string;
  more?: Array<{ column: string; list: string }>;
  /** What is asked of the rows `changed`. */
  rest: string;
}
