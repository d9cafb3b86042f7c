import type { Queryable } from '../../store/index.js';

/** The rows of email_templates, and every statement about them. Writers go one after the other by the revision's lock. */
export interface TemplateVersion {
  id: string;
  companyId: string;
  type: string;
  lang: string;
  version: number;
  state: 'draft' | 'published' | 'retired';
  subject: string;
  htmlContent: string;
  /** null: derived from the HTML. */
  textContent: string | null;
  isActive: boolean;
  updatedBy: string;
  createdAt: Date;
  updatedAt: Date;
  publishedAt: Date | null;
}

/** A draft or published version without its content. */
export type TemplateSummary = Omit<TemplateVersion, 'subject' | 'htmlContent' | 'textContent' | 'createdAt'>;

export interface TemplateKey {
  companyId: string;
  type: string;
  lang: string;
}

export interface TemplateContent {
  subject: string;
  htmlContent: string;
  textContent: string | null;
}

export async function lockTemplates(tx: Queryable): Promise<void> {
  await tx.query('select 1 from postrider.email_template_revision for update');
}

export async function raiseRevision(tx: Queryable): Promise<void> {
  await tx.query('update postrider.email_template_revision set revision = revision + 1');
}

export async function readRevision(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ revision: number }>(REVISION);
  return rows[0]?.revision ?? 0;
}

const REVISION = {
  name: 'render_revision',
  text: 'select revision from postrider.email_template_revision',
};

/** Without bodies, which are read by id when they are new. */
export async function listPublished(
  database: Queryable,
): Promise<Array<Pick<TemplateVersion, 'id' | 'companyId' | 'type' | 'lang'>>> {
  const { rows } = await database.query<{ id: string; companyId: string; type: string; lang: string }>(
    `select id, tenant as "companyId", type, lang from postrider.email_templates
     where state = 'published' and is_active`,
  );
  return rows;
}

export async function readContents(
  database: Queryable,
  ids: readonly string[],
): Promise<Array<TemplateContent & { id: string }>> {
  const { rows } = await database.query<TemplateContent & { id: string }>(
    `select id, subject, html_content as "htmlContent", text_content as "textContent"
     from postrider.email_templates where id = any($1::uuid[])`,
    [ids],
  );
  return rows;
}

/** The newest first. */
export async function readVersions(
  database: Queryable,
  { companyId, type, lang }: TemplateKey,
): Promise<TemplateVersion[]> {
  const { rows } = await database.query<TemplateVersion>(
    `select ${COLUMNS} from postrider.email_templates where tenant = $1 and type = $2 and lang = $3
     order by version desc`,
    [companyId, type, lang],
  );
  return rows;
}

/** By company, type and language; the newest first. */
export async function listTemplates(
  database: Queryable,
  companyId: string | null,
): Promise<TemplateSummary[]> {
  const { rows } = await database.query<TemplateSummary>(
    `select id, tenant as "companyId", type, lang, version, state, is_active as "isActive",
       updated_by as "updatedBy", updated_at as "updatedAt", published_at as "publishedAt"
     from postrider.email_templates
     where state in ('draft', 'published') and ($1::text is null or tenant = $1)
     order by tenant, type, lang, version desc limit ${MAX_LISTED}`,
    [companyId],
  );
  return rows;
}

const MAX_LISTED = 5000;

export async function deleteDraft(tx: Queryable, { companyId, type, lang }: TemplateKey): Promise<boolean> {
  const { rowCount } = await tx.query(
    `delete from postrider.email_templates where tenant = $1 and type = $2 and lang = $3 and state = 'draft'`,
    [companyId, type, lang],
  );
  return rowCount > 0;
}

export async function insertVersion(
  tx: Queryable,
  { companyId, type, lang }: TemplateKey,
  version: TemplateContent & { state: 'draft' | 'published'; updatedBy: string },
): Promise<TemplateVersion> {
  const { rows } = await tx.query<TemplateVersion>(
    `insert into postrider.email_templates
       (tenant, type, lang, version, state, subject, html_content, text_content, updated_by, published_at)
     select $1, $2, $3, coalesce(max(version), 0) + 1, $4::text, $5, $6, $7, $8,
       case when $4::text = 'published' then now() end
     from postrider.email_templates where tenant = $1 and type = $2 and lang = $3
     returning ${COLUMNS}`,
    [
      ...[companyId, type, lang, version.state, version.subject],
      ...[version.htmlContent, version.textContent, version.updatedBy],
    ],
  );
  return rows[0]!;
}

export async function rewriteDraft(
  tx: Queryable,
  id: string,
  draft: TemplateContent & { updatedBy: string },
): Promise<TemplateVersion> {
  const { rows } = await tx.query<TemplateVersion>(
    `update postrider.email_templates set subject = $2, html_content = $3, text_content = $4, updated_by = $5,
       updated_at = now()
     where id = $1 and state = 'draft' returning ${COLUMNS}`,
    [id, draft.subject, draft.htmlContent, draft.textContent, draft.updatedBy],
  );
  return rows[0]!;
}

export async function markPublished(tx: Queryable, id: string, updatedBy: string): Promise<TemplateVersion> {
  const { rows } = await tx.query<TemplateVersion>(
    `update postrider.email_templates set state = 'published', is_active = true, updated_by = $2, updated_at = now(),
       published_at = now()
     where id = $1 returning ${COLUMNS}`,
    [id, updatedBy],
  );
  return rows[0]!;
}

export async function retirePublished(tx: Queryable, { companyId, type, lang }: TemplateKey): Promise<void> {
  await tx.query(
    `update postrider.email_templates set state = 'retired', updated_at = now()
     where tenant = $1 and type = $2 and lang = $3 and state = 'published'`,
    [companyId, type, lang],
  );
}

export async function markActive(
  tx: Queryable,
  id: string,
  isActive: boolean,
  updatedBy: string,
): Promise<TemplateVersion> {
  const { rows } = await tx.query<TemplateVersion>(
    `update postrider.email_templates set is_active = $2, updated_by = $3, updated_at = now()
     where id = $1 returning ${COLUMNS}`,
    [id, isActive, updatedBy],
  );
  return rows[0]!;
}

const COLUMNS = `id, tenant as "companyId", type, lang, version, state, subject, html_content as "htmlContent",
  text_content as "textContent", is_active as "isActive", updated_by as "updatedBy", created_at as "createdAt",
  updated_at as "updatedAt", published_at as "publishedAt"`;
