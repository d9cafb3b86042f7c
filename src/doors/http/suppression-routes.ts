/**
 * The list of those not to write to, over HTTP: adding, removing, paging, and whole lists in and out as CSV or NDJSON,
 * read and written as they travel, so that a list of any length takes the memory of a page.
 */
import { type Context, Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { EMAIL_FIELDS } from '../../intake/index.js';
import { field, fields, needed, ownEntry, PostriderError } from '../../kernel/index.js';
import {
  acceptableRows,
  checkSuppressionRows,
  ROW_FORMATS,
  type RowFormat,
  readRows,
  SUPPRESSION_KEY_FIELDS,
  SUPPRESSION_LIST,
  SUPPRESSION_PAGE_FIELDS,
  type Suppressions,
  writeSuppressionRows,
} from '../../recipients/index.js';
import { COMPANY_QUERY } from './list-queries.js';
import { bodyOf, streamBody } from './read-body.js';
import { readJsonBody } from './read-json-body.js';
import { inQuery, readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function suppressionRoutes(suppressions: Suppressions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.post('/v1/suppressions', async (c) => {
    const body = SUPPRESSIONS.read(await readJsonBody(c), '');
    const { companyId, suppressions: entries } = body;
    const added = await suppressions.add(entries, company(c, companyId));
    return c.json({ added, known: entries.length - added });
  });

  routes.get('/v1/suppressions', async (c) => {
    const { companyId, ...page } = readQuery(c, SUPPRESSION_QUERIES.list);
    return c.json(await suppressions.list({ ...company(c, companyId), ...page }));
  });

  // Named before those with an address in the path, which would take the word for one.
  routes.get('/v1/suppressions/export', async (c) => {
    const { companyId, format: as = 'csv', ...which } = readQuery(c, SUPPRESSION_QUERIES.export);
    const rows = suppressions.exportAll({ ...company(c, companyId), ...which });
    return c.body(streamOf(writeSuppressionRows(rows, as)), 200, {
      'Content-Type': as === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
      'Content-Disposition': `attachment; filename="suppressions.${as}"`,
    });
  });

  routes.post('/v1/suppressions/import', async (c) => {
    const { companyId, dryRun, skipRefused } = readQuery(c, SUPPRESSION_QUERIES.import);
    const type = (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
    const format = ownEntry(IMPORT_TYPES, type);
    if (format === undefined)
      throw new PostriderError('UNSUPPORTED_MEDIA_TYPE', 'Send text/csv or application/x-ndjson.', {
        field: 'Content-Type',
      });
    const of = company(c, companyId);
    const rows = readRows(streamBody(bodyOf(c)), format);
    if (dryRun) return c.json(await checkSuppressionRows(rows));
    return c.json(await suppressions.importAll(skipRefused ? acceptableRows(rows) : rows, of));
  });

  routes.get('/v1/suppressions/:email', async (c) => {
    const { companyId } = readQuery(c, COMPANY_QUERY);
    return c.json({ suppressions: await suppressions.find(c.req.param('email'), company(c, companyId)) });
  });

  routes.delete('/v1/suppressions/:email', async (c) => {
    const { companyId, ...which } = readQuery(c, SUPPRESSION_QUERIES.remove);
    const entry = { email: c.req.param('email'), ...which };
    return c.json({ removed: await suppressions.remove(entry, company(c, companyId)) });
  });

  return routes;
}

const { companyId: whose } = EMAIL_FIELDS;
const { reason } = SUPPRESSION_KEY_FIELDS;
export const SUPPRESSIONS = fields(
  { companyId: whose, suppressions: needed(SUPPRESSION_LIST, 'must be a list') },
  { nullIsAbsent: true },
);
export const SUPPRESSION_QUERIES = {
  list: fields({
    companyId: whose,
    ...{ ...SUPPRESSION_PAGE_FIELDS, limit: inQuery.number(SUPPRESSION_PAGE_FIELDS.limit) },
  }),
  export: fields({ companyId: whose, reason, format: field.choice(ROW_FORMATS) }),
  import: fields({
    companyId: whose,
    dryRun: inQuery.flag('Looks through it, and changes nothing.'),
    skipRefused: inQuery.flag('Takes the rows that hold.'),
  }),
  remove: fields({ companyId: whose, ...SUPPRESSION_KEY_FIELDS }),
} as const;

const IMPORT_TYPES: Record<string, RowFormat> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
};

function company(c: Context<HttpEnv>, asked: unknown): { companyId?: string } {
  const companyId = companyOf(c.get('caller'), asked);
  return companyId === undefined ? {} : { companyId };
}

/** A page is asked for when the one before has left. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}
