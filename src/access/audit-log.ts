import { z } from 'zod';
import { killPoint } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import type { Caller } from './caller.js';
import { anyText, inputOf } from './read-input.js';

/**
 * What operators did, and the only writer of it. An act of this room is written in the transaction that makes it
 * true, so there is never one without the other. Acts of other rooms are written before they are asked, so a crash
 * leaves a line too many, never one too few. The table refuses to be changed.
 */
export async function audited<T>(
  database: Database,
  by: Actor,
  act: (tx: Queryable) => Promise<{ result: T; entry: AuditEntry | null }>,
): Promise<T> {
  return database.prompt().transaction(async (tx) => {
    const { result, entry } = await act(tx);
    killPoint('access:acted');
    if (entry) await writeAudit(tx, by, entry);
    return result;
  });
}

export async function writeAudit(tx: Queryable, by: Actor, entry: AuditEntry): Promise<void> {
  await tx.query(
    `insert into postrider.audit_log
       (actor_kind, actor_id, actor_name, action, target, tenant, outcome, ip, request_id, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::text::jsonb)`,
    [
      by.kind,
      by.id ?? null,
      by.name,
      entry.action,
      entry.target ?? null,
      entry.companyId ?? null,
      entry.outcome ?? 'done',
      by.ip ?? null,
      by.requestId ?? null,
      JSON.stringify(entry.detail ?? {}),
    ],
  );
}

/** Who acts, for the log. */
export interface Actor {
  kind: 'root' | 'admin' | 'key' | 'library';
  id?: string;
  name: string;
  ip?: string | null;
  requestId?: string;
}

export interface AuditEntry {
  /** A noun and a verb: `tenant.create`; for other rooms the route. */
  action: string;
  target?: string | null;
  companyId?: string | null;
  outcome?: 'done' | 'asked' | 'refused';
  /** Never a secret, never an address of a recipient. */
  detail?: Record<string, unknown>;
}

/** Code that calls without saying who it is. */
export const APPLICATION: Actor = { kind: 'library', name: 'application' };

export function actorOf(caller: Caller, context: { ip?: string | null; requestId?: string } = {}): Actor {
  switch (caller.kind) {
    case 'admin':
      return { kind: 'admin', id: caller.adminId, name: caller.email, ...context };
    case 'key':
      return { kind: 'key', id: caller.keyId, name: caller.name, ...context };
    case 'root':
      return { kind: 'root', name: caller.name, ...context };
    case 'user':
    case 'anyone':
      return { kind: 'library', name: caller.kind, ...context };
  }
}

export interface AuditRecord {
  id: string;
  at: string;
  actor: { kind: string; id: string | null; name: string };
  action: string;
  target: string | null;
  companyId: string | null;
  outcome: string;
  ip: string | null;
  requestId: string | null;
  detail: Record<string, unknown>;
}

export interface AuditPage {
  entries: AuditRecord[];
  /** Pass it as `before` for the next, older page; null at the end. */
  next: string | null;
}

/** Newest first. */
export async function listAudit(database: Queryable, input: unknown): Promise<AuditPage> {
  const { limit, before, actor, action, companyId } = AUDIT_PAGE.read(input, '');
  const { rows } = await database.query<AuditRow>(LIST, [
    before ?? null,
    actor ?? null,
    action ?? null,
    companyId ?? null,
    limit + 1,
  ]);
  const entries = rows.slice(0, limit).map(present);
  return { entries, next: rows.length > limit ? entries.at(-1)!.id : null };
}

const short = anyText.min(1, 'must not be empty').max(254, 'is too long');
export const AUDIT_PAGE = inputOf(
  z.strictObject({
    limit: z.coerce.number('must be a whole number from 1 to 200').int().min(1).max(200).default(50),
    before: z.uuid('must be the id of an entry').optional(),
    actor: short.optional(),
    action: short.optional(),
    companyId: short.optional(),
  }),
);

interface AuditRow {
  id: string;
  at: Date;
  actor_kind: string;
  actor_id: string | null;
  actor_name: string;
  action: string;
  target: string | null;
  tenant: string | null;
  outcome: string;
  ip: string | null;
  request_id: string | null;
  detail: Record<string, unknown>;
}

function present(row: AuditRow): AuditRecord {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    action: row.action,
    target: row.target,
    companyId: row.tenant,
    outcome: row.outcome,
    ip: row.ip,
    requestId: row.request_id,
    detail: row.detail,
  };
}

const LIST = `
  select * from postrider.audit_log
  where ($1::uuid is null or id < $1)
    and ($2::text is null or actor_name = $2 or actor_id = $2)
    and ($3::text is null or action = $3)
    and ($4::text is null or tenant = $4)
  order by id desc limit $5::int`;
