import { isUuid, killPoint, PostriderError } from '../../kernel/index.js';
import type { Segments, Topics } from '../../recipients/index.js';
import type { Database, Queryable } from '../../store/index.js';
import { openRun } from '../fire-slots.js';
import {
  BROADCAST_SCHEDULE,
  type Broadcast,
  type BroadcastContent,
  type BroadcastInput,
} from './broadcast.js';

/**
 * Broadcasts of tenants: drafted, told to go now or later, taken back until they have begun. Going is a run like that
 * of any campaign: written with the word to go in one transaction, carried out in pages by whoever runs schedules.
 */
export interface Broadcasts {
  create(companyId: string, input: BroadcastInput): Promise<Broadcast>;
  update(companyId: string, id: string, input: BroadcastInput): Promise<Broadcast>;
  find(companyId: string, id: string): Promise<Broadcast | null>;
  /** Without content, which may be a megabyte each. */
  list(companyId: string): Promise<ListedBroadcast[]>;
  /** Now, or at a time. */
  send(companyId: string, id: string, at: string | null): Promise<Broadcast>;
  cancel(companyId: string, id: string): Promise<Broadcast>;
  duplicate(companyId: string, id: string): Promise<Broadcast>;
  remove(companyId: string, id: string): Promise<void>;
}

export type ListedBroadcast = Omit<Broadcast, 'content'>;

export interface BroadcastsParts {
  database: () => Promise<Database>;
  segments: Segments;
  topics: Topics;
  /** There is something to carry out. */
  ring(): void;
}

export function createBroadcasts({ database, segments, topics, ring }: BroadcastsParts): Broadcasts {
  const prompt = async () => (await database()).prompt();

  async function found(companyId: string, id: string): Promise<Broadcast> {
    const broadcast = await findBroadcast(await prompt(), companyId, id);
    if (broadcast) return broadcast;
    throw new PostriderError('NOT_FOUND', 'Broadcast not found', { field: 'id' });
  }

  async function checkRefs(companyId: string, { segmentId, topicId }: BroadcastInput): Promise<void> {
    if (segmentId && (await segments.find(companyId, segmentId)) === null)
      throw new PostriderError('NOT_FOUND', 'Segment not found', { field: 'segment_id' });
    if (topicId && (await topics.find(companyId, topicId)) === null)
      throw new PostriderError('NOT_FOUND', 'Topic not found', { field: 'topic_id' });
  }

  async function insert(companyId: string, { name, segmentId, topicId, ...content }: BroadcastInput) {
    const { rows } = await (await prompt()).query<{ id: string }>(
      `insert into postrider.broadcasts (tenant, name, segment_id, topic_id, content)
       values ($1, $2, $3, $4, $5::text::jsonb) returning id`,
      [
        companyId,
        name ?? 'Untitled',
        segmentId ?? null,
        topicId ?? null,
        JSON.stringify({ ...EMPTY, ...content }),
      ],
    );
    return found(companyId, rows[0]!.id);
  }

  return {
    async create(companyId, input) {
      await checkRefs(companyId, input);
      return insert(companyId, input);
    },
    async update(companyId, id, input) {
      const before = await found(companyId, id);
      await checkRefs(companyId, input);
      const {
        name = before.name,
        segmentId = before.segmentId,
        topicId = before.topicId,
        ...content
      } = input;
      const { rows } = await (await prompt()).query(
        `update postrider.broadcasts set name = $3, segment_id = $4, topic_id = $5, content = content || $6::text::jsonb
         where tenant = $1 and id = $2 and status = 'draft' returning id`,
        [companyId, before.id, name, segmentId, topicId, JSON.stringify(content)],
      );
      if (rows.length === 0) throw underWay('changed');
      return found(companyId, before.id);
    },
    find: async (companyId, id) => findBroadcast(await prompt(), companyId, id),
    async list(companyId) {
      const { rows } = await (await prompt()).query<ListedRow>(LIST, [companyId]);
      return rows.map(presentListed);
    },
    async send(companyId, id, at) {
      const broadcast = await found(companyId, id);
      refuseIncomplete(broadcast);
      await (await prompt()).transaction(async (tx) => {
        const { rows } = await tx.query<{ now: Date }>(
          `update postrider.broadcasts set status = 'queued', scheduled_at = $3::timestamptz,
             opened_at = case when $3::timestamptz is null then now() end
           where tenant = $1 and id = $2 and status = 'draft' returning now() as now`,
          [companyId, broadcast.id, at],
        );
        if (!rows[0]) throw underWay('sent again');
        killPoint('schedules:broadcast-queued');
        const slot = new Date(rows[0].now).getTime();
        if (at === null)
          await openRun(tx, { schedule: BROADCAST_SCHEDULE, zone: broadcast.id, slot, manual: true });
      });
      ring();
      return found(companyId, id);
    },
    async cancel(companyId, id) {
      const { id: known } = await found(companyId, id);
      const { rows } = await (await prompt()).query(
        `update postrider.broadcasts set status = 'draft', scheduled_at = null
         where tenant = $1 and id = $2 and status = 'queued' and opened_at is null returning id`,
        [companyId, known],
      );
      if (rows.length === 0) throw underWay('taken back');
      return found(companyId, known);
    },
    async duplicate(companyId, id) {
      const { name, segmentId, topicId, content } = await found(companyId, id);
      return insert(companyId, { ...content, name: `${name} (Copy)`.slice(0, 200), segmentId, topicId });
    },
    async remove(companyId, id) {
      const { id: known } = await found(companyId, id);
      const { rows } = await (await prompt()).query(
        'delete from postrider.broadcasts where tenant = $1 and id = $2 and opened_at is null returning id',
        [companyId, known],
      );
      if (rows.length === 0) throw underWay('removed');
    },
  };
}

/** Turns those whose time has come into runs, each once; says how long until the next. */
export async function openDueBroadcasts(
  database: Queryable,
): Promise<{ fired: number; nextInMs: number | null }> {
  const { rows } = await database.query<{ fired: number; next_in_ms: number | null }>(OPEN_DUE, [
    BROADCAST_SCHEDULE,
  ]);
  return { fired: rows[0]?.fired ?? 0, nextInMs: rows[0]?.next_in_ms ?? null };
}

/** Whoever it belongs to: for the run, which knows only its id. */
export async function readBroadcast(
  database: Queryable,
  id: string,
): Promise<(Broadcast & { companyId: string }) | null> {
  if (!isUuid(id)) return null;
  const { rows } = await database.query<BroadcastRow>(`${SELECT_ANY} where b.id = $1`, [id]);
  return rows[0] ? { ...present(rows[0]), companyId: rows[0].tenant } : null;
}

async function findBroadcast(database: Queryable, companyId: string, id: string): Promise<Broadcast | null> {
  if (!isUuid(id)) return null;
  const { rows } = await database.query<BroadcastRow>(`${SELECT} and b.id = $2`, [companyId, id]);
  return rows[0] ? present(rows[0]) : null;
}

function refuseIncomplete({ segmentId, content }: Broadcast): void {
  const needed = {
    segment_id: segmentId,
    from: content.from,
    subject: content.subject,
    html: content.html ?? content.text,
  };
  for (const [field, value] of Object.entries(needed))
    if (value === null) throw new PostriderError('INVALID_PAYLOAD', `${field} is missing`, { field });
}

function underWay(what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `The broadcast is not one that can be ${what} any more.`, {
    field: 'id',
  });
}

const EMPTY: BroadcastContent = {
  from: null,
  replyTo: null,
  subject: null,
  previewText: null,
  html: null,
  text: null,
};

interface ListedRow {
  id: string;
  name: string;
  segment_id: string | null;
  topic_id: string | null;
  status: 'draft' | 'queued';
  scheduled_at: Date | null;
  created_at: Date;
  sent_at: Date | null;
}

interface BroadcastRow extends ListedRow {
  tenant: string;
  content: BroadcastContent;
}

function present(row: BroadcastRow): Broadcast {
  return { ...presentListed(row), content: row.content };
}

function presentListed(row: ListedRow): ListedBroadcast {
  const iso = (at: Date | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: row.id,
    name: row.name,
    segmentId: row.segment_id,
    topicId: row.topic_id,
    status: row.sent_at === null ? row.status : 'sent',
    scheduledAt: iso(row.scheduled_at),
    sentAt: iso(row.sent_at),
    createdAt: iso(row.created_at)!,
  };
}

const SENT_AT = `(select r.finished_at from postrider.schedule_runs r
    where r.schedule = '${BROADCAST_SCHEDULE}' and r.zone = b.id::text and r.state = 'done' limit 1) as sent_at`;
const SELECT_ANY = `select b.*, ${SENT_AT} from postrider.broadcasts b`;
const SELECT = `${SELECT_ANY} where b.tenant = $1`;
const LIST = `
  select b.id, b.name, b.segment_id, b.topic_id, b.status, b.scheduled_at, b.created_at, ${SENT_AT}
  from postrider.broadcasts b where b.tenant = $1 order by b.id desc limit 10000`;

const OPEN_DUE = {
  name: 'schedules_open_broadcasts',
  text: `
    with due as (
      update postrider.broadcasts set opened_at = clock_timestamp()
      where status = 'queued' and opened_at is null and scheduled_at <= clock_timestamp()
      returning id, scheduled_at
    ), opened as (
      insert into postrider.schedule_runs (id, schedule, zone, slot)
      select postrider.new_id(), $1, due.id::text, due.scheduled_at from due
      on conflict (schedule, zone, slot) do nothing returning id
    )
    select (select count(*)::int from opened) as fired,
      (select (extract(epoch from min(b.scheduled_at) - clock_timestamp()) * 1000)::float8
       from postrider.broadcasts b
       where b.status = 'queued' and b.opened_at is null and b.scheduled_at > clock_timestamp()) as next_in_ms`,
};
