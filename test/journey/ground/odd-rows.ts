import type pg from 'pg';

/** Rows as no way in writes them today: older code took them by SQL, or somebody with the right to write wrote them. */
export interface OddEmail {
  /** Values of columns of emails. */
  email?: Record<string, unknown>;
  /** Values of columns of email_queue; null for an email that has ended. */
  queue?: Record<string, unknown> | null;
  body?: { html?: string; text?: string; attachments?: string };
}

export async function insertOdd(
  pool: pg.Pool,
  { email = {}, queue = {}, body = {} }: OddEmail = {},
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select postrider.new_id() as id');
  const id = rows[0]!.id;
  await insert(pool, 'emails', {
    ...{
      id,
      tenant: 'acme',
      to_address: 'reader@example.net',
      subject: 'Odd',
      priority: 3,
      retry: 'gateway',
    },
    ...{
      message: '{"to":[{"address":"reader@example.net"}]}',
      max_attempts: 5,
      route: 'default',
      request_id: id,
    },
    ...email,
  });
  await insert(pool, 'email_bodies', { email_id: id, html: '<p>Hello</p>', text: 'Hello', ...body });
  if (queue !== null)
    await insert(pool, 'email_queue', {
      ...{ id, max_attempts: 5, priority: 3, ready: true, route: 'default', tenant: 'acme', ...queue },
    });
  return id;
}

export async function insert(pool: pg.Pool, table: string, values: Record<string, unknown>): Promise<void> {
  const names = Object.keys(values);
  await pool.query(
    `insert into postrider.${table} (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')})`,
    Object.values(values),
  );
}
