import { isStorableText, isUuid, PostriderError } from '../../kernel/index.js';
import type { Database, Queryable } from '../../store/index.js';
import { type FilledTemplate, fillTemplate } from './fill-template.js';
import { parseStoredTemplate, type StoredContent } from './parse-stored-template.js';

/**
 * Templates a tenant keeps as text with `{{VARIABLES}}`, as the Resend API has them: a draft that is written to, and
 * what was published of it last, which is what is sent. Found by id or by alias.
 */
export interface StoredTemplate extends ListedTemplate {
  content: StoredContent;
  hasUnpublished: boolean;
}

/** Without its content, which may be a megabyte. */
export interface ListedTemplate {
  id: string;
  name: string;
  alias: string | null;
  status: 'draft' | 'published';
  publishedAt: string | null;
  createdAt: string;
  updatedAt: string;
  versionId: string;
}

export interface StoredTemplates {
  create(companyId: string, input: unknown): Promise<StoredTemplate>;
  update(companyId: string, idOrAlias: string, input: unknown): Promise<StoredTemplate>;
  find(companyId: string, idOrAlias: string): Promise<StoredTemplate | null>;
  list(companyId: string, page: TemplatePage): Promise<{ templates: ListedTemplate[]; more: boolean }>;
  publish(companyId: string, idOrAlias: string): Promise<StoredTemplate>;
  duplicate(companyId: string, idOrAlias: string): Promise<StoredTemplate>;
  remove(companyId: string, idOrAlias: string): Promise<StoredTemplate>;
  /** What is published, with values in place of its variables. */
  fill(companyId: string, idOrAlias: string, values: unknown): Promise<FilledTemplate>;
}

export interface TemplatePage {
  limit: number;
  after: string | null;
  before: string | null;
}

export function createStoredTemplates(database: () => Promise<Database>): StoredTemplates {
  const prompt = async () => (await database()).prompt();

  async function found(store: Queryable, companyId: string, idOrAlias: string): Promise<TemplateRow> {
    const row = await find(store, companyId, idOrAlias);
    if (row) return row;
    throw new PostriderError('NOT_FOUND', 'Template not found', { field: 'id' });
  }

  async function insert(
    store: Queryable,
    companyId: string,
    { name, alias, content }: { name: string; alias: string | null; content: StoredContent },
  ): Promise<StoredTemplate> {
    const { rows } = await store.query<TemplateRow>(
      `insert into postrider.stored_templates (tenant, name, alias, draft) values ($1, $2, $3, $4::text::jsonb)
       on conflict (tenant, alias) where alias is not null do nothing returning *`,
      [companyId, name, alias, JSON.stringify(content)],
    );
    if (!rows[0]) throw aliasTaken();
    return present(rows[0]);
  }

  return {
    async create(companyId, input) {
      return insert(await prompt(), companyId, parseStoredTemplate(input, null));
    },
    update: async (companyId, idOrAlias, input) =>
      (await prompt()).transaction(async (tx) => {
        const row = await found(tx, companyId, idOrAlias);
        const { name, alias, content } = parseStoredTemplate(input, { ...row, content: row.draft });
        const { rows: taken } = await tx.query(
          'select 1 from postrider.stored_templates where tenant = $1 and alias = $2 and id <> $3',
          [companyId, alias, row.id],
        );
        if (taken.length > 0) throw aliasTaken();
        const { rows } = await tx.query<TemplateRow>(
          `update postrider.stored_templates set name = $3, alias = $4, draft = $5::text::jsonb, updated_at = now()
           where tenant = $1 and id = $2 returning *`,
          [companyId, row.id, name, alias, JSON.stringify(content)],
        );
        return present(rows[0]!);
      }),
    async find(companyId, idOrAlias) {
      const row = await find(await prompt(), companyId, idOrAlias);
      return row && present(row);
    },
    async list(companyId, { limit, after, before }) {
      const { rows } = await (await prompt()).query<ListedRow>(
        `select id, name, alias, published is not null as is_published, version, published_at, created_at, updated_at
         from postrider.stored_templates where tenant = $1
         and ($2::uuid is null or id ${before === null ? '<' : '>'} $2)
         order by id ${before === null ? 'desc' : 'asc'} limit $3::int`,
        [companyId, before ?? after, limit + 1],
      );
      const templates = rows.slice(0, limit).map(presentListed);
      return { templates: before === null ? templates : templates.reverse(), more: rows.length > limit };
    },
    async publish(companyId, idOrAlias) {
      const store = await prompt();
      const { id } = await found(store, companyId, idOrAlias);
      const { rows } = await store.query<TemplateRow>(
        `update postrider.stored_templates
         set published = draft, published_at = now(), version = postrider.new_id(), updated_at = now()
         where tenant = $1 and id = $2 returning *`,
        [companyId, id],
      );
      return rows[0] ? present(rows[0]) : present(await found(store, companyId, id));
    },
    async duplicate(companyId, idOrAlias) {
      const store = await prompt();
      const { name, draft } = await found(store, companyId, idOrAlias);
      return insert(store, companyId, { name: `${name} (Copy)`.slice(0, 200), alias: null, content: draft });
    },
    async remove(companyId, idOrAlias) {
      const store = await prompt();
      const row = await found(store, companyId, idOrAlias);
      await store.query('delete from postrider.stored_templates where tenant = $1 and id = $2', [
        companyId,
        row.id,
      ]);
      return present(row);
    },
    async fill(companyId, idOrAlias, values) {
      const row = await found(await prompt(), companyId, idOrAlias);
      if (row.published === null)
        throw new PostriderError('INVALID_PAYLOAD', 'The template has not been published.', {
          field: 'template.id',
        });
      return fillTemplate(row.id, row.published, values);
    },
  };
}

async function find(store: Queryable, companyId: string, idOrAlias: string): Promise<TemplateRow | null> {
  if (!isStorableText(idOrAlias)) return null;
  const { rows } = await store.query<TemplateRow>(
    `select * from postrider.stored_templates where tenant = $1 and ${isUuid(idOrAlias) ? 'id = $2::uuid' : 'alias = $2'}`,
    [companyId, idOrAlias],
  );
  return rows[0] ?? null;
}

function aliasTaken(): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', 'Another template has this alias.', { field: 'alias' });
}

interface ListedRow {
  id: string;
  name: string;
  alias: string | null;
  is_published: boolean;
  version: string;
  published_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

interface TemplateRow extends Omit<ListedRow, 'is_published'> {
  draft: StoredContent;
  published: StoredContent | null;
}

function present(row: TemplateRow): StoredTemplate {
  return {
    ...presentListed({ ...row, is_published: row.published !== null }),
    content: row.draft,
    hasUnpublished: JSON.stringify(row.draft) !== JSON.stringify(row.published),
  };
}

function presentListed(row: ListedRow): ListedTemplate {
  const iso = (at: Date) => new Date(at).toISOString();
  return {
    id: row.id,
    name: row.name,
    alias: row.alias,
    status: row.is_published ? 'published' : 'draft',
    publishedAt: row.published_at && iso(row.published_at),
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    versionId: row.version,
  };
}
