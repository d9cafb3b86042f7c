import { isUuid, PostriderError, trimEndOf } from '../../kernel/index.js';
import type { Database } from '../../store/index.js';

/**
 * What people can be written to about. Each stands for a preference, so that refusing it on the page behind a link and
 * refusing it here are one and the same.
 */
export interface Topic {
  id: string;
  name: string;
  description: string | null;
  /** The preference it stands for. */
  category: string;
  /** Whether those who have said nothing get it. */
  optIn: boolean;
  createdAt: string;
}

export interface Topics {
  create(companyId: string, topic: Pick<Topic, 'name' | 'description' | 'optIn'>): Promise<Topic>;
  /** The preference and what holds for the silent stay as they are. */
  change(companyId: string, id: string, to: Partial<Pick<Topic, 'name' | 'description'>>): Promise<Topic>;
  find(companyId: string, id: string): Promise<Topic | null>;
  list(companyId: string): Promise<Topic[]>;
  remove(companyId: string, id: string): Promise<boolean>;
}

export function createTopics(database: () => Promise<Database>): Topics {
  const query = async (text: string, values: unknown[]): Promise<Topic[]> =>
    (await (await database()).prompt().query<TopicRow>(text, values)).rows.map(present);
  return {
    async create(companyId, { name, description, optIn }) {
      const text = `insert into postrider.topics (tenant, name, description, category, opt_in)
        values ($1, $2, $3, $4, $5) on conflict (tenant, category) do nothing returning *`;
      for (let tries = 1; tries <= MAX_SAME_NAMES; tries += 1) {
        const [topic] = await query(text, [companyId, name, description, categoryOf(name, tries), optIn]);
        if (topic) return topic;
      }
      throw new PostriderError('INVALID_PAYLOAD', 'Too many topics have this name.', { field: 'name' });
    },
    async change(companyId, id, { name, description }) {
      const text = `update postrider.topics set name = coalesce($3, name), description = coalesce($4, description)
        where tenant = $1 and id = $2 returning *`;
      const [topic] = isUuid(id) ? await query(text, [companyId, id, name ?? null, description ?? null]) : [];
      if (!topic) throw topicNotFound();
      return topic;
    },
    async find(companyId, id) {
      if (!isUuid(id)) return null;
      const [topic] = await query('select * from postrider.topics where tenant = $1 and id = $2', [
        companyId,
        id,
      ]);
      return topic ?? null;
    },
    list: (companyId) =>
      query('select * from postrider.topics where tenant = $1 order by id desc', [companyId]),
    async remove(companyId, id) {
      if (!isUuid(id)) return false;
      return (
        (
          await query('delete from postrider.topics where tenant = $1 and id = $2 returning *', [
            companyId,
            id,
          ])
        ).length > 0
      );
    },
  };
}

const MAX_SAME_NAMES = 20;

/** A word people can read on the page behind the link: `Product Updates` → `product_updates`. */
function categoryOf(name: string, tries: number): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[_0-9]+/, '');
  const word = trimEndOf(words, '_').slice(0, 48);
  const base = word === '' || RESERVED.has(word) ? `topic_${word}` : word;
  return tries === 1 ? base : `${base}_${tries}`;
}

/** Names that mean something already: no topic may be beyond refusing. */
const RESERVED = new Set(['auth', 'account', 'security', 'broadcasts']);

interface TopicRow {
  id: string;
  name: string;
  description: string | null;
  category: string;
  opt_in: boolean;
  created_at: Date;
}

function present(row: TopicRow): Topic {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    category: row.category,
    optIn: row.opt_in,
    createdAt: new Date(row.created_at).toISOString(),
  };
}

export function topicNotFound(): PostriderError {
  return new PostriderError('NOT_FOUND', 'Topic not found', { field: 'topic_id' });
}
