import type pg from 'pg';
import type { Database, Queryable, Statement } from '../../../src/store/index.js';

/** What one statement read, as PostgreSQL counts it. */
export interface Explained {
  text: string;
  /** Pages of tables and indexes, each time one is looked at. */
  pages: number;
  /** Rows that any step of the plan produced or passed over. */
  rows: number;
  /** The part of a plan that names its tables and indexes. */
  plan: string;
}

/** Runs a module's own statements on a client and keeps what each of them read. A write is explained and undone first. */
export async function explained(
  client: pg.ClientBase,
  work: (database: Database) => Promise<unknown>,
): Promise<Explained[]> {
  const seen: Explained[] = [];
  const query: Queryable['query'] = async (statement: Statement | string, values?: readonly unknown[]) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    if (/^\s*(?:select|with|insert|update|delete)/i.test(text)) {
      await client.query('savepoint explaining');
      const { rows } = await client.query(
        `explain (analyze, buffers, format json) ${text}`,
        values as unknown[],
      );
      await client.query('rollback to savepoint explaining');
      const { Plan } = rows[0]['QUERY PLAN'][0];
      seen.push({
        text,
        pages: Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'],
        rows: rowsOf(Plan),
        plan: JSON.stringify(Plan),
      });
    }
    const { rows, rowCount } = await client.query(text, values as unknown[]);
    return { rows, rowCount: rowCount ?? 0 } as never;
  };
  const database = {
    kind: 'postgres',
    query,
    transaction: (inside: (tx: Queryable) => unknown) => inside({ query } as Queryable),
  };
  await client.query('begin');
  try {
    await work(database as unknown as Database);
    return seen;
  } finally {
    await client.query('rollback');
  }
}

/** The plans a connection would keep for a module's statements: chosen without looking at their values. Writes are undone. */
export async function keptPlans(
  client: pg.ClientBase,
  work: (database: Database) => Promise<unknown>,
): Promise<Array<{ text: string; plan: string }>> {
  const seen: Array<{ text: string; plan: string }> = [];
  const query: Queryable['query'] = async (statement: Statement | string, values?: readonly unknown[]) => {
    const text = typeof statement === 'string' ? statement : statement.text;
    const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map(([, n]) => Number(n)));
    await client.query(`prepare kept as ${text}`);
    const { rows: lines } = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute kept${count === 0 ? '' : `(${Array(count).fill('null').join(', ')})`}`,
    );
    await client.query('deallocate kept');
    seen.push({ text, plan: lines.map((line) => line['QUERY PLAN']).join('\n') });
    const { rows, rowCount } = await client.query(text, values as unknown[]);
    return { rows, rowCount: rowCount ?? 0 } as never;
  };
  const database = {
    kind: 'postgres',
    query,
    transaction: (inside: (tx: Queryable) => unknown) => inside({ query } as Queryable),
  };
  await client.query('begin');
  try {
    await client.query('set local plan_cache_mode = force_generic_plan');
    await work(database as unknown as Database);
    return seen;
  } finally {
    await client.query('rollback');
  }
}

interface PlanNode {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function rowsOf(node: PlanNode): number {
  const own = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own);
}
