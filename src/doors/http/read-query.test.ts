import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { field, fields } from '../../kernel/index.js';
import { inQuery, readQuery } from './read-query.js';

const QUERY = fields({ name: field.line(9), limit: inQuery.number(field.whole(1, 5)) });
const app = new Hono();
app.get('/', (c) => c.json(readQuery(c, QUERY)));
app.onError((error, c) => c.json({ field: (error as { field?: string }).field }, 400));
const ask = async (search: string) => (await app.request(`/?${search}`)).json();

test('a query of known names → read, with numbers as numbers', async () => {
  expect(await ask('name=a+b%20c&limit=5')).toEqual({ name: 'a b c', limit: 5 });
  expect(await ask('')).toEqual({});
});

test.each([
  ['unheardOf=1', 'unheardOf'],
  ['__proto__=1', '__proto__'],
  ['__proto__[name]=x', '__proto__[name]'],
  ['constructor=1', 'constructor'],
  ['name=a&name=a', 'name'],
  [`${'x'.repeat(1000)}=1&${'x'.repeat(1000)}=1`, '(a key)'],
  ['limit=1e0', 'limit'],
  ['limit=', 'limit'],
])('the query %s → refused, naming %s', async (search, named) => {
  expect(await ask(search)).toEqual({ field: named });
});
