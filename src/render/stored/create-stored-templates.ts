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

/** What changes one answers with its id alone; its content, up to a megabyte, is not read back. */
export interface StoredTemplates {
  create(companyId: string, input: unknown): Promise<string>;
  update(companyId: string, idOrAlias: string, input: unknown): Promise<string>;
  find(companyId: string, idOrAlias: string): Promise<StoredTemplate | null>;
  list(companyId: string, page: TemplatePage): Promise<{ templates: ListedTemplate[]; more: boolean }>;
  publish(companyId: string, idOrAlias: string): Promise<string>;
  /** The copy's id. */
  duplicate(companyId: string, idOrAlias: string): Promise<string>;
  remove(companyId: string, idOrAlias: string): Promise<string>;
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

  /** One statement about one template, `$1` its tenant and `$2` its id or alias; answers with the id it returns. */
  async function change(companyId: string, idOrAlias: string, statement: (named: string) => string) {
    return (await one<{ id: string }>(await prompt(), companyId, idOrAlias, statement)).id;
  }

  return {
    async create(companyId, input) {
      const { name, alias, content } = parseStoredTemplate(input, null);
      const { rows } = await (await prompt()).query<{ id: string }>(
        `insert into postrider.stored_templates (tenant, name, alias, draft) values ($1, $2, $3, $4::text::jsonb)
         on conflict (tenant, alias) where alias is not null do nothing returning id`,
        [companyId, name, alias, JSON.stringify(content)],
      );
      if (!rows[0]) throw aliasTaken();
      return rows[0].id;
    },
    update: async (companyId, idOrAlias, input) =>
      (await prompt()).transaction(async (tx) => {
        const before = await one<DraftRow>(
          tx,
          companyId,
          idOrAlias,
          (named) =>
            `select id, name, alias, draft from postrider.stored_templates where ${named} for update`,
        );
        const { name, alias, content } = parseStoredTemplate(input, { ...before, content: before.draft });
        const { rows: taken } = await tx.query(
          'select 1 from postrider.stored_templates where tenant = $1 and alias = $2 and id <> $3',
          [companyId, alias, before.id],
        );
        if (taken.length > 0) throw aliasTaken();
        await tx.query(
          `update postrider.stored_templates set name = $3, alias = $4, draft = $5::text::jsonb, updated_at = now()
           where tenant = $1 and id = $2`,
          [companyId, before.id, name, alias, JSON.stringify(content)],
        );
        return before.id;
      }),
    async find(companyId, idOrAlias) {
      const rows = await find<TemplateRow>(
        await prompt(),
        companyId,
        idOrAlias,
        (named) => `select ${LISTED}, draft, draft is distinct from published as has_unpublished
          from postrider.stored_templates where ${named}`,
      );
      return rows[0] ? present(rows[0]) : null;
    },
    async list(companyId, { limit, after, before }) {
      const { rows } = await (await prompt()).query<ListedRow>(
        `select ${LISTED}
         from postrider.stored_templates where tenant = $1
         and ($2::uuid is null or id ${before === null ? '<' : '>'} $2)
         order by id ${before === null ? 'desc' : 'asc'} limit $3::int`,
        [companyId, before ?? after, limit + 1],
      );
      const templates = rows.slice(0, limit).map(presentListed);
      return { templates: before === null ? templates : templates.reverse(), more: rows.length > limit };
    },
    publish: (companyId, idOrAlias) =>
      change(
        companyId,
        idOrAlias,
        (named) => `update postrider.stored_templates
          set published = draft, published_at = now(), version = postrider.new_id(), updated_at = now()
          where ${named} returning id`,
      ),
    duplicate: (companyId, idOrAlias) =>
      change(
        companyId,
        idOrAlias,
        (named) => `insert into postrider.stored_templates (tenant, name, draft)
          select tenant, left(name || ' (Copy)', 200), draft from postrider.stored_templates where ${named} returning id`,
      ),
    remove: (companyId, idOrAlias) =>
      change(
        companyId,
        idOrAlias,
        (named) => `delete from postrider.stored_templates where ${named} returning id`,
      ),
    async fill(companyId, idOrAlias, values) {
      const { id, published } = await one<PublishedRow>(
        await prompt(),
        companyId,
        idOrAlias,
        (named) => `select id, published from postrider.stored_templates where ${named}`,
      );
      if (published === null)
        throw new PostriderError('INVALID_PAYLOAD', 'The template has not been published.', {
          field: 'template.id',
        });
      return fillTemplate(id, published, values);
    },
  };
}

const LISTED =
  'id, name, alias, published is not null as is_published, version, published_at, created_at, updated_at';

async function one<Row>(
  store: Queryable,
  companyId: string,
  idOrAlias: string,
  statement: (named: string) => string,
): Promise<Row> {
  const [row] = await find<Row>(store, companyId, idOrAlias, statement);
  if (row) return row;
  throw new PostriderError('NOT_FOUND', 'Template not found', { field: 'id' });
}

async function find<Row>(
  store: Queryable,
  companyId: string,
  idOrAlias: string,
  statement: (named: string) => string,
): Promise<Row[]> {
  if (!isStorableText(idOrAlias)) return [];
  const named = `tenant = $1 and ${isUuid(idOrAlias) ? 'id = $2::uuid' : 'alias = $2'}`;
  const { rows } = await store.query<Row>(statement(named), [companyId, idOrAlias]);
  return rows;
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

interface TemplateRow extends ListedRow {
  draft: StoredContent;
  has_unpublished: boolean;
}

interface DraftRow {
  id: string;
  name: string;
  alias: string | null;
  draft: StoredContent;
}

interface PublishedRow {
  id: string;
  published: StoredContent | null;
}

function present(row: TemplateRow): StoredTemplate {
  return {
    ...presentListed(row),
    content: row.draft,
    hasUnpublished: row.has_unpublished,
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
