import { expect, test } from 'vitest';
import { isDeclared } from '../../../kernel/index.js';
import { HEADER_FIELDS } from '../header-fields.js';
import { pathFieldsOf } from '../path-fields.js';
import { ROUTE_ACCESS } from '../route-access.js';
import { OPERATIONS, openApiDocument } from './create-document.js';
import { docsPage } from './docs-page.js';

/** Described elsewhere: by Resend, by whoever sends notifications, or for development alone. */
const ELSEWHERE = / \/(?:resend|hooks|dev|dashboard)\/| \/$/;

test('every route → is described, and every description has a route', () => {
  const routes = Object.keys(ROUTE_ACCESS).filter((route) => !ELSEWHERE.test(route));
  expect(Object.keys(OPERATIONS).sort()).toEqual(routes.sort());
});

test('every example → is what its schema describes', () => {
  const withBodies = Object.entries(OPERATIONS).filter(([, { body }]) => body);
  expect(withBodies.length).toBeGreaterThan(30);
  const wrong = withBodies.filter(([, { body, example }]) => !body!.schema.safeParse(example).success);
  expect(wrong.map(([route]) => route)).toEqual([]);
});

test('every request → is described by the declaration that reads it', () => {
  const written = Object.entries(OPERATIONS).flatMap(([route, { body, query }]) =>
    [body, query].some((one) => one !== undefined && !isDeclared(one)) ? [route] : [],
  );
  expect(written).toEqual([]);
  expect(Object.values(OPERATIONS).filter(({ body, query }) => body || query).length).toBeGreaterThan(70);
  const inPaths = Object.keys(OPERATIONS).flatMap((route) => pathFieldsOf(route.split(' ')[1]!));
  expect(inPaths.every(([, field]) => isDeclared(field))).toBe(true);
  expect(Object.values(HEADER_FIELDS).every(isDeclared)).toBe(true);
});

test('every reference → leads to a component, and names are said once', () => {
  const document = openApiDocument();
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref!);
  expect(names.length).toBeGreaterThan(20);
  for (const ref of names) {
    expect(ref).toMatch(/^#\/components\/schemas\//);
    expect(Object.keys(document.components.schemas)).toContain(ref.slice(ref.lastIndexOf('/') + 1));
  }
  const ids = Object.values(document.paths).flatMap((path) =>
    Object.values(path).map((one) => one.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('the page → holds every route, asks for nothing else and runs no script', () => {
  const { html, policy } = docsPage(openApiDocument());
  for (const path of Object.keys(openApiDocument().paths)) expect(html).toContain(`<code>${path}</code>`);
  expect(html).not.toMatch(/<script|\ssrc=|url\(|@import|<link|\son\w+="/i);
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
});
