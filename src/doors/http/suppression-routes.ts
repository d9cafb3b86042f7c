/**
 * The list of those not to write to, over HTTP: adding, removing, paging, and whole lists in and out as CSV or NDJSON,
 * read and written as they travel, so that a list of any length takes the memory of a page.
 */
import { type Context, Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { invalidPayload, PostriderError, readFields } from '../../kernel/index.js';
import {
  acceptableRows,
  checkSuppressionRows,
  ROW_FORMATS,
  type RowFormat,
  readRows,
  type SuppressionInput,
  type Suppressions,
  writeSuppressionRows,
} from '../../recipients/index.js';
import { readJsonBody } from './read-json-body.js';
import type { HttpEnv } from './request-context.js';

export function suppressionRoutes(suppressions: Suppressions, bodyLimitBytes: number): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.post('/v1/suppressions', async (c) => {
    const body = readFields(await readJsonBody(c.req.raw, bodyLimitBytes), '', ['companyId', 'suppressions']);
    if (!Array.isArray(body.suppressions)) throw invalidPayload('suppressions', 'must be a list');
    const entries = body.suppressions as SuppressionInput[];
    const added = await suppressions.add(entries, company(c, body.companyId));
    return c.json({ added, known: entries.length - added });
  });

  routes.get('/v1/suppressions', async (c) => {
    const { companyId, reason, limit, cursor } = queryOf(c, ['companyId', 'reason', 'limit', 'cursor']);
    return c.json(
      await suppressions.list({
        ...company(c, companyId),
        ...(reason !== undefined && { reason }),
        ...(cursor !== undefined && { cursor }),
        ...(limit !== undefined && { limit: /^\d{1,4}$/.test(limit) ? Number(limit) : Number.NaN }),
      }),
    );
  });

  // Named before those with an address in the path, which would take the word for one.
  routes.get('/v1/suppressions/export', async (c) => {
    const { companyId, reason, format } = queryOf(c, ['companyId', 'reason', 'format']);
    const as = formatOf(format ?? 'csv');
    const rows = suppressions.exportAll({
      ...company(c, companyId),
      ...(reason !== undefined && { reason }),
    });
    return c.body(streamOf(writeSuppressionRows(rows, as)), 200, {
      'Content-Type': as === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson',
      'Content-Disposition': `attachment; filename="suppressions.${as}"`,
    });
  });

  routes.post('/v1/suppressions/import', async (c) => {
    const query = queryOf(c, ['companyId', 'dryRun', 'skipRefused']);
    const [dryRun, skipRefused] = [flagOf(query, 'dryRun'), flagOf(query, 'skipRefused')];
    const type = (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
    const format = IMPORT_TYPES[type];
    if (format === undefined)
      throw new PostriderError('UNSUPPORTED_MEDIA_TYPE', 'Send text/csv or application/x-ndjson.', {
        field: 'Content-Type',
      });
    const of = company(c, query.companyId);
    const rows = readRows(bytesOf(c.req.raw), format);
    if (dryRun) return c.json(await checkSuppressionRows(rows));
    return c.json(await suppressions.importAll(skipRefused ? acceptableRows(rows) : rows, of));
  });

  routes.get('/v1/suppressions/:email', async (c) => {
    const { companyId } = queryOf(c, ['companyId']);
    return c.json({ suppressions: await suppressions.find(c.req.param('email'), company(c, companyId)) });
  });

  routes.delete('/v1/suppressions/:email', async (c) => {
    const { companyId, reason, category } = queryOf(c, ['companyId', 'reason', 'category']);
    const removed = await suppressions.remove(
      {
        email: c.req.param('email'),
        ...(reason !== undefined && { reason: reason as NonNullable<SuppressionInput['reason']> }),
        ...(category !== undefined && { category }),
      },
      company(c, companyId),
    );
    return c.json({ removed });
  });

  return routes;
}

const IMPORT_TYPES: Record<string, RowFormat> = {
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/jsonl': 'ndjson',
};

function company(c: Context<HttpEnv>, asked: unknown): { companyId?: string } {
  const companyId = companyOf(c.get('caller'), asked);
  return companyId === undefined ? {} : { companyId };
}

function queryOf(c: Context, known: readonly string[]): Record<string, string> {
  return readFields(c.req.query(), '', known) as Record<string, string>;
}

function flagOf(query: Record<string, string>, name: string): boolean {
  const said = query[name] ?? 'false';
  if (said !== 'true' && said !== 'false') throw invalidPayload(name, 'must be true or false');
  return said === 'true';
}

function formatOf(asked: string): RowFormat {
  const format = ROW_FORMATS.find((known) => known === asked);
  if (format === undefined) throw invalidPayload('format', 'must be csv or ndjson');
  return format;
}

async function* bytesOf(request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
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
