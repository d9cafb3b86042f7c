import { isUuid, PostriderError } from '../../kernel/index.js';
import type { Database, Queryable } from '../../store/index.js';
import type { ContactPage } from './contact.js';

/** Groups of a tenant's people. Who is in one is decided by hand. */
export interface Segment {
  id: string;
  name: string;
  createdAt: string;
}

export interface Segments {
  create(companyId: string, name: string): Promise<Segment>;
  rename(companyId: string, id: string, name: string): Promise<Segment>;
  find(companyId: string, id: string): Promise<Segment | null>;
  list(companyId: string, page: ContactPage): Promise<{ segments: Segment[]; more: boolean }>;
  /** Of one person. */
  of(companyId: string, recipientId: string): Promise<Segment[]>;
  remove(companyId: string, id: string): Promise<boolean>;
}

export function createSegments(database: () => Promise<Database>): Segments {
  const query = async (text: string, values: unknown[]): Promise<Segment[]> =>
    (await (await database()).prompt().query<SegmentRow>(text, values)).rows.map(present);
  return {
    async create(companyId, name) {
      const [segment] = await query(
        'insert into postrider.segments (tenant, name) values ($1, $2) returning *',
        [companyId, name],
      );
      return segment!;
    },
    async rename(companyId, id, name) {
      const text = 'update postrider.segments set name = $3 where tenant = $1 and id = $2 returning *';
      const [segment] = isUuid(id) ? await query(text, [companyId, id, name]) : [];
      if (!segment) throw segmentNotFound();
      return segment;
    },
    async find(companyId, id) {
      if (!isUuid(id)) return null;
      const [segment] = await query('select * from postrider.segments where tenant = $1 and id = $2', [
        companyId,
        id,
      ]);
      return segment ?? null;
    },
    async list(companyId, { limit, after, before }) {
      const rows = await query(
        `select * from postrider.segments where tenant = $1 and ($2::uuid is null or id ${before === null ? '<' : '>'} $2)
         order by id ${before === null ? 'desc' : 'asc'} limit $3::int`,
        [companyId, before ?? after, limit + 1],
      );
      const segments = rows.slice(0, limit);
      return { segments: before === null ? segments : segments.reverse(), more: rows.length > limit };
    },
    of: (companyId, recipientId) =>
      query(
        `select s.* from postrider.segments s join postrider.segment_members m on m.segment_id = s.id
         where s.tenant = $1 and m.recipient_id = $2 order by s.id desc`,
        [companyId, recipientId],
      ),
    async remove(companyId, id) {
      if (!isUuid(id)) return false;
      const text = 'delete from postrider.segments where tenant = $1 and id = $2 returning *';
      return (await query(text, [companyId, id])).length > 0;
    },
  };
}

/** Both must be the tenant's own; being in it already is being in it. */
export async function joinSegments(
  tx: Queryable,
  tenant: string,
  recipientId: string,
  segmentIds: readonly string[],
): Promise<void> {
  if (segmentIds.length === 0) return;
  if (!segmentIds.every(isUuid)) throw segmentNotFound();
  const { rows } = await tx.query<{ id: string }>(
    'select id from postrider.segments where tenant = $1 and id = any ($2::uuid[])',
    [tenant, segmentIds],
  );
  if (rows.length < new Set(segmentIds.map((id) => id.toLowerCase())).size) throw segmentNotFound();
  await tx.query(
    `insert into postrider.segment_members (segment_id, recipient_id) select s, $2::uuid from unnest($1::uuid[]) s
     on conflict do nothing`,
    [rows.map(({ id }) => id), recipientId],
  );
}

export async function leaveSegment(
  tx: Queryable,
  tenant: string,
  recipientId: string,
  segmentId: string,
): Promise<boolean> {
  const { rows } = await tx.query(
    `delete from postrider.segment_members m using postrider.segments s
     where s.id = m.segment_id and s.tenant = $1 and m.recipient_id = $2 and m.segment_id = $3 returning m.segment_id`,
    [tenant, recipientId, segmentId],
  );
  return rows.length > 0;
}

interface SegmentRow {
  id: string;
  name: string;
  created_at: Date;
}

function present({ id, name, created_at }: SegmentRow): Segment {
  return { id, name, createdAt: new Date(created_at).toISOString() };
}

export function segmentNotFound(): PostriderError {
  return new PostriderError('NOT_FOUND', 'Segment not found', { field: 'segment_id' });
}
