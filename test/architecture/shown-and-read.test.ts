import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { OPERATIONS, openApiDocument } from '../../src/doors/http/openapi/create-document.js';
import type { Field } from '../../src/kernel/index.js';
import { RECIPIENT_INPUT } from '../../src/recipients/parse-recipient.js';
import { SUPPRESSION_INPUT } from '../../src/recipients/parse-suppression.js';

/**
 * What the description of the API shows of a body, by itself. A declaration's own schema asks the reader as well, so it
 * can never allow more than is read; here it is what somebody has who holds nothing but the document.
 */
const LISTS = /^POST \/v1\/(?:email\/batch|recipients|suppressions)$/;
const bodies: Array<[string, Field<unknown>, unknown]> = Object.entries(OPERATIONS).flatMap(
  ([route, { body, example }]) =>
    // Those are lists that are read one by one; what stands in them is looked at below.
    body && !LISTS.test(route) ? [[route, body, example] as [string, Field<unknown>, unknown]] : [],
);
const inList = (route: string, name: string) =>
  ((OPERATIONS[route]!.example as Record<string, unknown[]>)[name] ?? [])[0];
bodies.push(['one recipient', RECIPIENT_INPUT, inList('POST /v1/recipients', 'recipients')]);
bodies.push(['one suppression', SUPPRESSION_INPUT, inList('POST /v1/suppressions', 'suppressions')]);

/** What no pattern says: addresses, files, places, and what two fields say together. */
const ONLY_READING_TELLS =
  /address|strict base64|without a path|no time zone|goes with the reason|all must be said|all is meant/;

describe('a body as the document shows it', () => {
  test.each(bodies)(
    '%s → what is shown as allowed is read, and the other way round',
    (_name, body, example) => {
      const shown = z.fromJSONSchema(
        z.toJSONSchema(body.schema, { io: 'input', unrepresentable: 'any' }) as never,
      );
      const apart: string[] = [];
      for (const form of [example, ...spoil(example)]) {
        const refusal = refusalOf(body, form);
        const isShown = shown.safeParse(form).success;
        if (isShown === (refusal === null) || (isShown && ONLY_READING_TELLS.test(refusal!))) continue;
        apart.push(`shown ${isShown}, read ${refusal ?? 'too'}: ${JSON.stringify(form)?.slice(0, 2000)}`);
      }
      expect(apart).toEqual([]);
    },
  );
});

/** Each name of a query as somebody writes it who has the document: numbers and flags are text there. */
const names = Object.entries(OPERATIONS).flatMap(([route, { query }]) => {
  const [method = '', path = ''] = route.split(' ');
  const described = openApiDocument().paths[path.replace(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!;
  const inQuery = described.parameters.filter((one) => one.in === 'query');
  return inQuery.map(({ name, schema }) => [`${route}?${name}`, name, schema, query!] as const);
});

describe('a query as the document shows it', () => {
  test.each(names)(
    '%s → what is shown as allowed is read, and the other way round',
    (_, name, schema, query) => {
      const shown = z.fromJSONSchema(schema as never);
      const isText = schema.type === 'string';
      const apart = TEXTS.filter((text) => {
        const refusal = refusalOf(query, { ...(query.schema.shape.scope && { scope: 'all' }), [name]: text });
        const isShown = shown.safeParse(isText ? text : (VALUES[text] ?? text)).success;
        return isShown !== (refusal === null) && !(isShown && ONLY_READING_TELLS.test(refusal!));
      });
      expect(apart).toEqual([]);
    },
  );
  test('there are some', () => expect(names.length).toBeGreaterThan(100));
});

const VALUES: Record<string, unknown> = {
  0: 0,
  1: 1,
  '1.5': 1.5,
  24: 24,
  201: 201,
  4000: 4000,
  2000000000: 2e9,
};
Object.assign(VALUES, { true: true, false: false });
const TEXTS = [...Object.keys(VALUES), '', 'x', 'x y', '-1', '2030-01-31', '2030-01-31T09:00:00Z', '2030-02'];
TEXTS.push('01a1def1-9ed6-7000-8fe3-719f10b82e28', 'all', 'failed', 'csv', 'x'.repeat(2000));

function refusalOf(body: Field<unknown>, form: unknown): string | null {
  try {
    body.read(form, '');
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const WRONG: readonly unknown[] = [
  ...[7, -1, 1.5, 0, 1e15, true, false, null, {}, [], [null], { a: 1 }],
  ...['', 'x', 'X', 'ADA@EXAMPLE.NET', 'x'.repeat(3000), 'HTTPS://EXAMPLE.COM/', 'Example.COM'],
  ...['2026-13-31T09:00:00Z', '2026-01-31T09:00:00', '2026-01-31'],
];

/** Each field gone, or with something else in its place, however deep; and one that is not known. */
function spoil(value: unknown): unknown[] {
  if (Array.isArray(value)) return [...WRONG, ...spoil(value[0])].map((inner) => [inner]);
  if (typeof value !== 'object' || value === null) return [];
  const known = value as Record<string, unknown>;
  const forms: unknown[] = [{ ...known, unknownField: 1 }];
  for (const [name, inner] of Object.entries(known)) {
    const { [name]: _gone, ...rest } = known;
    forms.push(rest, ...[...WRONG, ...spoil(inner)].map((other) => ({ ...known, [name]: other })));
  }
  return forms;
}
