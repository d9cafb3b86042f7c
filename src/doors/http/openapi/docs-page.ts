/**
 * The document as a page: one file, no script, no other request; its policy allows its own style and nothing else.
 */
import { createHash } from 'node:crypto';
import type { JsonSchema, OpenApiDocument, OpenApiOperation } from './create-document.js';
import { STYLE } from './docs-style.js';
import { escapeHtml } from './escape-html.js';

export function docsPage(document: OpenApiDocument): { html: string; policy: string } {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const sections = document.tags.map(({ name }) => {
    const own = routes.filter(({ operation }) => operation.tags.includes(name));
    return `<section><h2 id="${name}">${name}</h2>${own.map(route).join('')}</section>`;
  });
  const pieces = Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${name}"><summary><b>${escapeHtml(name)}</b></summary>${fields(schema)}</details>`,
  );
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · Postrider</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>Postrider API</h1><p>${escapeHtml(document.info.description)}</p>
<nav>${document.tags.map(({ name }) => `<a href="#${name}">${name}</a>`).join('')}<a href="#Schemas">Schemas</a><a href="/openapi.json">openapi.json</a></nav></header>
<main>${sections.join('')}<section><h2 id="Schemas">Schemas</h2>${pieces.join('')}</section></main>
</body>
</html>
`;
  const hash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return { html, policy };
}

function route({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: OpenApiOperation;
}): string {
  const { summary, description, parameters, requestBody, responses, operationId } = operation;
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema, example }]) =>
      `<h3>Body <code>${escapeHtml(type)}</code>${requestBody?.required ? '' : ', may be left out'}</h3>${fields(schema)}${
        example === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`
      }`,
  );
  const answers = Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, { content }]) => {
      const [[type, shown] = []] = Object.entries(content ?? {});
      return `<h3>Answer ${status}${type ? ` <code>${escapeHtml(type)}</code>` : ''}</h3>${shown ? fields(shown.schema) : ''}`;
    });
  const asked = parameters.map(({ name, in: where, required, schema }) =>
    row(name, `${where}, ${typeOf(schema)}`, required, String(schema.description ?? '')),
  );
  return `<details id="${operationId}"><summary><span class="${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code> <em>${escapeHtml(summary)}</em></summary>
<p>${escapeHtml(description)}</p>${asked.length > 0 ? `<h3>Parameters</h3><table>${asked.join('')}</table>` : ''}${bodies.join('')}${answers.join('')}</details>`;
}

function fields(schema: JsonSchema): string {
  const ref = refOf(schema);
  if (ref !== null) return `<p>${link(ref)}</p>`;
  const { properties, required = [] } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  if (properties && Object.keys(properties).length > 0) {
    const rows = Object.entries(properties).map(([name, inner]) =>
      row(name, typeOf(inner), required.includes(name), String(inner.description ?? '')),
    );
    return `<table>${rows.join('')}</table>`;
  }
  const either = schema.anyOf as JsonSchema[] | undefined;
  if (either) return either.map(fields).join('<p>or</p>');
  return `<p>${typeOf(schema)}</p>`;
}

function row(name: string, type: string, required: boolean, note: string): string {
  return `<tr><th><code>${escapeHtml(name)}</code>${required ? ' *' : ''}</th><td>${type}</td><td>${escapeHtml(note)}</td></tr>`;
}

/** As markup. */
function typeOf(schema: JsonSchema): string {
  const ref = refOf(schema);
  if (ref !== null) return link(ref);
  if (Array.isArray(schema.anyOf)) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (Array.isArray(schema.enum)) return escapeHtml(schema.enum.join(' | '));
  if (schema.const !== undefined) return escapeHtml(JSON.stringify(schema.const));
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as JsonSchema)}`;
  const kind = schema.format ?? schema.type ?? 'anything';
  const max = schema.maxLength === undefined ? '' : ` up to ${schema.maxLength}`;
  return escapeHtml(`${kind}${max}`);
}

function refOf({ $ref }: JsonSchema): string | null {
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : null;
}

function link(name: string): string {
  return `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
}
