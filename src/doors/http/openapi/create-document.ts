/**
 * The API as an OpenAPI 3.1 document, made of three things that are each tested against the running routes: the
 * table of who may use what, the operations' schemas, and the error table.
 */
import { z } from 'zod';
import { ERROR_TABLE } from '../../../kernel/index.js';
import { HEADER_FIELDS } from '../header-fields.js';
import { pathFieldsOf } from '../path-fields.js';
import { RIGHTS, ROUTE_ACCESS } from '../route-access.js';
import { accessOperations } from './access-operations.js';
import { emailOperations } from './email-operations.js';
import type { Operation, Operations } from './operation.js';
import { peopleOperations } from './people-operations.js';
import { runningOperations } from './running-operations.js';
import { problemDetails } from './shared-schemas.js';
import { systemOperations } from './system-operations.js';
import { webhookOperations } from './webhook-operations.js';

export const OPERATIONS_BY_TAG: Readonly<Record<string, Operations>> = {
  Emails: emailOperations,
  People: peopleOperations,
  Running: runningOperations,
  Webhooks: webhookOperations,
  Access: accessOperations,
  System: systemOperations,
};
export const OPERATIONS: Operations = Object.assign({}, ...Object.values(OPERATIONS_BY_TAG));

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: { title: string; version: string; description: string };
  tags: Array<{ name: string }>;
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: object };
}

export interface OpenApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: object[];
  parameters: OpenApiParameter[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: JsonSchema }> }>;
}

export interface OpenApiParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: JsonSchema;
}

export type JsonSchema = Record<string, unknown>;

let made: OpenApiDocument | null = null;

/** Made once, when somebody first asks. */
export function openApiDocument(): OpenApiDocument {
  made ??= createDocument();
  return made;
}

function createDocument(): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {};
  const describe = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
    hoist(schemaOf(schema, io), schemas);
  const paths: OpenApiDocument['paths'] = {};
  for (const [tag, operations] of Object.entries(OPERATIONS_BY_TAG)) {
    for (const [route, operation] of Object.entries(operations)) {
      const [method = '', path = ''] = route.split(' ');
      const at = path.replace(/:(\w+)/g, '{$1}');
      paths[at] = { ...paths[at], [method.toLowerCase()]: present(route, tag, operation, describe) };
    }
  }
  describe(problemDetails, 'output');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version: '1',
      description:
        'Delivers the email an application promises. Refusals are problem details (RFC 9457) with a code of one table. Where a process serves several regions, ?region= names the one a request is about; a tenant is at home in its own. The API of Resend is served under /resend as well; its own documentation describes it.',
    },
    tags: Object.keys(OPERATIONS_BY_TAG).map((name) => ({ name })),
    paths,
    components: {
      schemas,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: "A tenant's key, the operators' key, or a user's token.",
        },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-postrider_session' },
      },
    },
  };
}

type Describe = (schema: z.ZodType, io: 'input' | 'output') => JsonSchema;

function present(route: string, tag: string, operation: Operation, describe: Describe): OpenApiOperation {
  const [, path = ''] = route.split(' ');
  const right = ROUTE_ACCESS[route]?.right ?? 'root';
  const groups: readonly string[] = RIGHTS[right];
  const body = operation.body ? describe(operation.body.schema, 'input') : {};
  const takesBody = operation.body !== undefined || operation.bodyType !== undefined;
  const example = operation.example === undefined ? {} : { example: operation.example };
  return {
    operationId: route.replace(/[^A-Za-z]+/g, '_').toLowerCase(),
    tags: [tag],
    summary: operation.summary,
    description: right === 'anyone' ? 'For anyone.' : `For ${groups.join(', ')}.`,
    security: right === 'anyone' ? [] : [{ bearer: [] }, ...(right === 'user' ? [] : [{ session: [] }])],
    parameters: [
      ...pathFieldsOf(path).map(([name, { schema }]) =>
        parameter(name, 'path', describe(schema, 'input'), true),
      ),
      ...queryOf(operation, describe),
      ...(operation.headers ?? []).map((name) =>
        parameter(name, 'header', describe(HEADER_FIELDS[name].schema, 'input'), false),
      ),
    ],
    ...(takesBody && {
      requestBody: {
        required: operation.bodyOptional !== true,
        content: Object.fromEntries(
          (operation.bodyType ?? ['application/json']).map((type) => [type, { schema: body, ...example }]),
        ),
      },
    }),
    responses: { ...answersOf(operation, describe), default: PROBLEM },
  };
}

function queryOf({ query }: Operation, describe: Describe): OpenApiParameter[] {
  if (!query) return [];
  const { properties = {}, required = [] } = describe(query.schema, 'input') as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) =>
    parameter(name, 'query', schema, required.includes(name)),
  );
}

function parameter(
  name: string,
  where: OpenApiParameter['in'],
  schema: JsonSchema,
  required: boolean,
): OpenApiParameter {
  return { name, in: where, required, schema };
}

function answersOf({ answers }: Operation, describe: Describe): OpenApiOperation['responses'] {
  const entries = Object.entries(answers).map(([status, answer]) => {
    if (answer === null) return [status, { description: 'Done; nothing more to say.' }] as const;
    const content =
      'safeParse' in answer
        ? { 'application/json': { schema: describe(answer, 'output') } }
        : Object.fromEntries(answer.map((type) => [type, { schema: {} }]));
    return [status, { description: Number(status) < 400 ? 'Done.' : 'Not now.', content }] as const;
  });
  return Object.fromEntries(entries);
}

const PROBLEM = {
  description: `Refused or failed. The codes and their statuses: ${Object.entries(ERROR_TABLE)
    .map(([code, { status }]) => `${code} ${status}`)
    .join(', ')}.`,
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
};

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as JsonSchema;
}

/** Named pieces move to the components, where every route finds the same one. */
function hoist(schema: JsonSchema, into: Record<string, JsonSchema>): JsonSchema {
  const {
    $schema: _said,
    $defs,
    id,
    ...rest
  } = schema as JsonSchema & { $defs?: Record<string, JsonSchema> };
  for (const [name, definition] of Object.entries($defs ?? {}))
    into[name] = pointing(definition) as JsonSchema;
  const bare = pointing(rest) as JsonSchema;
  if (typeof id !== 'string') return bare;
  into[id] = bare;
  return { $ref: `#/components/schemas/${id}` };
}

function pointing(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointing);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, inner]) => !(key === 'id' && typeof inner === 'string'))
      .map(([key, inner]) => [
        key,
        key === '$ref' && typeof inner === 'string'
          ? inner.replace('#/$defs/', '#/components/schemas/')
          : pointing(inner),
      ]),
  );
}
