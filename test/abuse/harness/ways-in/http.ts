import { openApiDocument } from '../../../../src/doors/http/openapi/create-document.js';
import { ROUTE_ACCESS } from '../../../../src/doors/http/route-access.js';
import { RESEND_BODIES } from '../../resend-bodies.js';
import { type Attack, outcomeOf } from '../attack.js';
import { distinct, type Entry, framed, nested, odd, oddJson, structures, tokens } from '../dictionary.js';
import { ROOT, type Target, userToken } from '../target.js';
import { FULL_BODIES } from './http-bodies.js';

/**
 * Every operation of the API: each field of its body, at every depth; the names of fields where they are free; the whole
 * body; parameters of path and query; headers. The operations are those of the description and, for the API of Resend,
 * those of the table of rights, so that a new one is attacked without a word here.
 */
const KB = 1024;
const MB = 1024 ** 2;
/** Content may be 512 KB; a body 16 MB; a request line with all headers 16 KB. */
const CONTENT_BYTES = 511 * KB;
const BODY_BYTES = 16 * MB - 4 * KB;
const LINE_BYTES = 12 * KB;
/** Fits where a name or an address fits, so that what is stored comes back in lists. */
const SHORT_BYTES = 60;

interface Operation {
  route: string;
  method: string;
  path: string;
  query: string[];
  headers: string[];
  body?: unknown;
  type: string | null;
  as: string | null;
}

export function operations(): Operation[] {
  const described: Operation[] = Object.entries(openApiDocument().paths).flatMap(([at, methods]) =>
    Object.entries(methods).map(([name, operation]) => {
      const path = at.replace(/\{(\w+)\}/g, ':$1');
      const route = `${name.toUpperCase()} ${path}`;
      const [type, { example } = { example: undefined }] =
        Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
      const named = (where: string) =>
        operation.parameters.filter((one) => one.in === where).map((one) => one.name);
      return {
        ...{ route, path, method: name.toUpperCase(), query: named('query'), headers: named('header') },
        ...{ body: timely(example), type: type ?? null, as: keyFor(route) },
      };
    }),
  );
  const known = new Set(described.map(({ route }) => route));
  const others: Operation[] = Object.keys(ROUTE_ACCESS)
    .filter((route) => !known.has(route) && !route.includes('*') && !/ \/(?:dashboard|dev)\b/.test(route))
    .map((route) => {
      const [method = '', path = ''] = route.split(' ');
      const body = FULL_BODIES[route] ?? RESEND_BODIES[route];
      const query = method === 'GET' ? ['limit', 'after', 'before'] : [];
      return {
        ...{ route, method, path, query, headers: [], body },
        type: body ? 'application/json' : null,
        as: keyFor(route),
      };
    });
  return [...described, ...others];
}

function keyFor(route: string): string | null {
  const right = ROUTE_ACCESS[route]?.right;
  return right === 'anyone' ? null : right === 'user' ? userToken() : ROOT;
}

/** Examples are of the past. */
function timely(example: unknown): unknown {
  if (example === undefined) return undefined;
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  return JSON.parse(JSON.stringify(example).replaceAll('2000-01-31T09:00:00Z', soon));
}

/** Every attack over HTTP, an operation after the other. */
export function* httpAttacks(): Generator<Attack> {
  // What removes the things that paths name comes last.
  const last = ({ method, route }: Operation) => Number(method === 'DELETE' || route.endsWith('/cancel'));
  for (const operation of operations().sort((one, two) => last(one) - last(two))) {
    yield* bodyAttacks(operation);
    yield* lineAttacks(operation);
  }
}

function* bodyAttacks(operation: Operation): Generator<Attack> {
  const { body, type } = operation;
  if (type === null) return;
  if (body === undefined || type !== 'application/json') {
    for (const entry of [...tokens, ...structures, ...odd])
      yield attack(operation, 'body', entry, BODY_BYTES, (text) => ({ body: text }));
    return;
  }
  yield attack(operation, 'nothing', { name: 'the example itself', make: () => '' }, 0, () => ({
    body: JSON.stringify(body),
  }));
  for (const [name, json] of oddJson)
    yield attack(operation, 'body', { name, make: () => json }, 0, (text) => ({ body: text }));
  for (const entry of structures)
    yield attack(operation, 'body', entry, BODY_BYTES, (text) => ({ body: text }));
  for (const place of placesOf(body)) {
    const text = (entry: Entry, bytes: number) =>
      attack(operation, place.name, entry, bytes, (made) => ({ body: place.put(JSON.stringify(made)) }));
    const json = (entry: Entry, bytes: number) =>
      attack(operation, place.name, entry, bytes, (made) => ({ body: place.put(made) }));
    for (const entry of odd) yield text(entry, 0);
    for (const entry of tokens) yield text(entry, SHORT_BYTES);
    for (const entry of isMarkup(place.name)
      ? [...tokens, ...distinct, ...nested, ...framed]
      : [...tokens, ...distinct])
      yield text(entry, CONTENT_BYTES);
    if (place.isName) continue;
    for (const [name, value] of oddJson) yield json({ name, make: () => value }, 0);
    for (const entry of structures) yield json(entry, CONTENT_BYTES);
    for (const entry of LARGEST) yield text(entry, BODY_BYTES / 2);
  }
}

/** Tried at the largest body too, where a field has no limit of its own. */
const LARGEST = tokens.filter(({ name }) => ['a', '<', '␠', '\\u{301}', '\\r\\na', '"'].includes(name));

const isMarkup = (field: string) => /html|text|content|subject|preview/i.test(field);

function* lineAttacks(operation: Operation): Generator<Attack> {
  const values = [
    ...tokens.map((entry) => ({ entry, bytes: LINE_BYTES })),
    ...odd.map((entry) => ({ entry, bytes: 0 })),
  ];
  const body = operation.body === undefined ? {} : { body: JSON.stringify(operation.body) };
  const parameters = operation.path.match(/:\w+/g) ?? [];
  for (const { entry, bytes } of values) {
    for (const name of parameters)
      yield attack(operation, `path ${name}`, entry, bytes / 3, (text) => ({
        ...body,
        params: { [name]: text },
      }));
    for (const name of operation.query)
      yield attack(operation, `query ${name}`, entry, bytes / 3, (text) => ({
        ...body,
        query: { [name]: text },
      }));
    for (const name of [...operation.headers, ...(READS_HEADERS.has(operation.route) ? EVERY_HEADER : [])])
      yield attack(operation, `header ${name}`, entry, bytes, (text) => ({
        ...body,
        headers: { [name]: headerSafe(text) },
      }));
  }
}

/** Headers that every operation reads are attacked at one of each kind. */
const READS_HEADERS = new Set([
  'POST /v1/email/send',
  'GET /admin/emails',
  'POST /resend/emails',
  'GET /u/:token',
]);
const EVERY_HEADER = [
  'Authorization',
  'Cookie',
  'Content-Type',
  'Accept',
  'Accept-Language',
  'Accept-Encoding',
  'Host',
  'X-Forwarded-For',
  'X-Request-Id',
  'traceparent',
];

/** A line break ends a header; nothing of it would arrive. */
const headerSafe = (text: string) =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '');

/** A password's hash takes 32 MB for a moment, on purpose; how many at once is limited. */
const HASHES_PASSWORDS = new Set(['POST /auth/sign-in', 'POST /admin/admins']);

interface Sent {
  body?: string;
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

function attack(
  operation: Operation,
  field: string,
  entry: Entry,
  bytes: number,
  put: (text: string) => Sent,
): Attack {
  const { route, method, type, as } = operation;
  return {
    ...{ wayIn: route, field, entry: bytes === SHORT_BYTES ? `${entry.name}, short` : entry.name },
    bytes: Math.max(bytes, 4 * KB),
    ...(HASHES_PASSWORDS.has(route) && { budget: { memoryBytes: 4 * bytes + 52 * MB } }),
    async run(target) {
      const sent = put(entry.make(Math.floor(bytes)));
      const answer = await target.ask({
        ...{ method, as, path: pathOf(operation, target, sent), body: named(sent.body, target) },
        headers: { ...(type !== null && { 'Content-Type': type }), ...sent.headers },
      });
      return outcomeOf(answer);
    },
  };
}

function pathOf(
  { route, path, query: known }: Operation,
  target: Target,
  { params = {}, query = {} }: Sent,
): string {
  const { stands } = target.contents;
  const filled = path.replace(/(\w[\w-]*\/)?(:\w+)/g, (_all, noun = '', name: string) => {
    const value = params[name] ?? stands[route] ?? stands[noun + name] ?? stands[name] ?? 'x';
    return noun + encoded(value);
  });
  const needed = known.includes('scope') ? { scope: 'type', value: 'nothing' } : {};
  const asked = Object.entries({ ...needed, ...query });
  return asked.length === 0
    ? filled
    : `${filled}?${asked.map(([name, value]) => `${name}=${encoded(value)}`).join('&')}`;
}

/** Half a character cannot be encoded; what stands for it can. */
const encoded = (value: string) => encodeURIComponent(Buffer.from(value).toString());

/** A body may name something of the store, as `":segment"`. */
function named(body: string | undefined, { contents }: Target): string | undefined {
  if (body === undefined || body.length > 64 * KB) return body;
  return body.replace(
    /":(segment|topic|contact|id)"/g,
    (all, name: string) => JSON.stringify(contents.stands[`:${name}`]) ?? all,
  );
}

interface Place {
  name: string;
  /** It is the name of a field, not its value. */
  isName: boolean;
  /** The whole body with this JSON there. */
  put(json: string): string;
}

/** Every place of a body where a value stands, and where a name may be chosen. */
export function placesOf(body: unknown): Place[] {
  const places: Place[] = [];
  const MARK = 'here-it-goes';
  const visit = (value: unknown, name: string, whole: (inner: unknown) => unknown): void => {
    const json = JSON.stringify(whole(MARK));
    const at = json.indexOf(`"${MARK}"`);
    const [before, after] = [json.slice(0, at), json.slice(at + MARK.length + 2)];
    if (name !== '') places.push({ name, isName: false, put: (inner) => before + inner + after });
    if (Array.isArray(value)) visit(value[0], `${name}[0]`, (inner) => whole([inner, ...value.slice(1)]));
    else if (typeof value === 'object' && value !== null) {
      const object = value as Record<string, unknown>;
      for (const [key, inner] of Object.entries(object))
        visit(inner, name === '' ? key : `${name}.${key}`, (put) => whole({ ...object, [key]: put }));
      places.push({
        ...{ name: `${name}{name}`, isName: true },
        put: (made) => JSON.stringify(whole({ ...object, [MARK]: 'x' })).replace(`"${MARK}"`, () => made),
      });
    }
  };
  visit(body, '', (inner) => inner);
  return places;
}
