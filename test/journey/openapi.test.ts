import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { OPERATIONS, OPERATIONS_BY_TAG } from '../../src/doors/http/openapi/create-document.js';
import { pathFieldsOf } from '../../src/doors/http/path-fields.js';
import { signUserToken } from '../../src/index.js';
import { EMAIL_FIELDS } from '../../src/intake/index.js';
import type { Field } from '../../src/kernel/index.js';
import { askEverything } from './ground/ask-everything.js';
import { seen } from './ground/check-answer.js';
import { type Door, openDoor } from './ground/open-door.js';

/**
 * The document against the running API. Each example and every spoilt form of it is sent to the real route: what the
 * schema refuses the route must refuse, and what it allows the route must take. Where a route refuses more, because
 * of what two fields say together, it stands below by name.
 */
const STRICTER: Record<string, RegExp> = {
  // An email needs content, which may come from three places; a type without a template needs its own.
  'POST /v1/email/send': /^(?:subject|html|type|recipient|to|data)/,
  'POST /v1/email/batch': /^0\.(?:subject|html|type|recipient|to|data)/,
  'PUT /admin/templates/:type/:lang/draft': /^(?:subject|htmlContent|textContent)/,
  'POST /admin/templates/:type/:lang/preview': /^content/,
};
/** Where a body is read piece by piece, because it is faster: the piece that is always read. */
const READ_AS: Record<string, Field<unknown>> = { 'POST /v1/email/send': EMAIL_FIELDS.to };
/** Those of the access room are the schemas it reads with. */
const compared = Object.entries(OPERATIONS).filter(
  ([route, { body }]) => body && !OPERATIONS_BY_TAG.Access![route],
);

describe('the described API on PostgreSQL', () => {
  let door: Door;
  let stands: Record<string, string>;
  beforeAll(async () => {
    door = await openDoor({
      config: { access: { secretKeys: `one:${'A'.repeat(43)}=`, userTokenKey: USER_KEY } },
    });
    const scheduledAt = new Date(Date.now() + 3_600_000);
    const email = { to: 'ada@example.net', subject: 'x', text: 'x' };
    const { emailId } = await door.postrider.schedule(email, scheduledAt);
    await door.postrider.recipients.upsert([{ externalId: 'person-7', email: 'ada@example.net' }]);
    stands = {
      ...{ id: emailId, person: 'external:person-7', type: 'welcome', lang: 'en', index: '0' },
      ...{ name: 'nothing', companyId: 'default', period: 'day', email: 'ada@example.net', token: 'none' },
      delivery: 'nothing',
    };
  });
  afterAll(() => door.close());

  const pathOf = (route: string) => route.split(' ')[1]!.replace(/:(\w+)/g, (_all, name) => stands[name]!);
  const isRefused = ({ status, body }: { status: number; body: { code?: string } | null }) =>
    [400, 413, 415, 422].includes(status) && body?.code !== undefined;

  test.each(compared)(
    '%s → takes what its schema allows and refuses what it does not',
    async (route, operation) => {
      const [method = ''] = route.split(' ');
      const reading = vi.spyOn(READ_AS[route] ?? operation.body!, 'read');
      await door.call(method, pathOf(route), { body: operation.example });
      expect(reading, 'the route reads with something else').toHaveBeenCalled();
      reading.mockRestore();
      const drifted: string[] = [];
      const forms = [{ at: '(as it is)', body: operation.example }, ...spoil(operation.example)];
      expect(forms.length).toBeGreaterThan(5);
      for (const { at, body } of forms) {
        const allowed = operation.body!.schema.safeParse(body).success;
        const answer = await door.call(method, pathOf(route), { body });
        expect(answer.status, `${at} ${answer.text}`).toBeLessThan(500);
        if (allowed !== isRefused(answer)) continue;
        if (allowed && STRICTER[route]?.test(at)) continue;
        drifted.push(
          `${at} = ${JSON.stringify(body)?.slice(0, 200)}: schema ${allowed}, ${answer.status} ${answer.body?.detail}`,
        );
      }
      expect(drifted).toEqual([]);
    },
  );

  const asked = Object.entries(OPERATIONS).filter(([, { query }]) => query);
  test.each(asked)(
    '%s → takes the queries its schema allows, refuses those it does not',
    async (route, { query, example, bodyType }) => {
      const [method = ''] = route.split(' ');
      const ask = (search: string) =>
        door.call(method, `${pathOf(route)}?${search}`, {
          ...(example !== undefined && { body: example }),
          ...(bodyType && { raw: 'email\n', headers: { 'Content-Type': bodyType[0]! } }),
          ...(route.includes(' /api/') && {
            as: signUserToken({ userId: 'u', companyId: 'default' }, USER_KEY),
          }),
        });
      const reading = vi.spyOn(query!, 'read');
      await ask('unheardOf=1');
      expect(reading, 'the route reads with something else').toHaveBeenCalled();
      reading.mockRestore();
      const drifted: string[] = [];
      const names = [...Object.keys(query!.schema.shape), 'unheardOf'];
      for (const name of names) {
        const texts = [...TEXTS, ...examplesOf(query!.schema.shape[name])];
        const judged = texts.map(async (text) => {
          const allowed = query!.schema.safeParse({ [name]: text }).success;
          const answer = await ask(new URLSearchParams([[name, text]]).toString());
          expect(answer.status, answer.text).toBeLessThan(500);
          const refused = answer.status === 400 && names.includes(answer.body?.field);
          if (allowed !== refused || (allowed && ONE_REGION.test(name))) return;
          drifted.push(`${name}=${JSON.stringify(text)}: schema ${allowed}, ${answer.status} ${answer.text}`);
        });
        await Promise.all(judged);
        const twice = await ask(`${name}=1&${name}=1`);
        expect([twice.status, twice.body.field], `${name} twice`).toEqual([400, name]);
      }
      expect(drifted).toEqual([]);
    },
  );

  const withPaths = Object.keys(OPERATIONS).filter((route) => pathFieldsOf(route.split(' ')[1]!).length > 0);
  test.each(withPaths)('%s → takes nothing in its path that its schema refuses', async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const { example } = OPERATIONS[route]!;
    const fields = pathFieldsOf(path);
    expect(fields.length).toBeGreaterThan(0);
    for (const [name, { schema }] of fields) {
      const wrong = PATH_TEXTS.filter((text) => !schema.safeParse(text).success);
      expect(wrong.length, `${name}: its schema refuses one of the texts`).toBeGreaterThan(0);
      for (const text of wrong) {
        const spoilt = path.replace(`:${name}`, encodeURIComponent(text));
        const filled = spoilt.replace(/:(\w+)/g, (_all, other) => stands[other]!);
        const answer = await door.call(method, filled, {
          ...(example !== undefined && { body: example }),
        });
        expect([400, 404, 415], `${name} = ${text.slice(0, 9)}: ${answer.text}`).toContain(answer.status);
      }
    }
  });

  test('the document and its page → for anyone', async () => {
    const document = await door.call('GET', '/openapi.json', { as: null });
    expect(document.body.openapi).toBe('3.1.0');
    const page = await door.call('GET', '/docs', { as: null });
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('every answer that is described', () => {
  const WITH_A_BROKER = [
    ...['GET /admin/broker/dead-letters 200', 'POST /admin/broker/dead-letters/requeue 200'],
    ...['POST /admin/broker/dead-letters/purge 200', 'GET /admin/bus/dead-letters 200'],
    'POST /admin/bus/dead-letters/retry 200',
  ];
  const WITHOUT_A_STORE = ['GET /health/ready 503'];

  test('every route, asked for what it can do → answers as described; the rest is seen where there is a broker', async () => {
    const door = await openDoor({
      config: {
        access: { secretKeys: `one:${'A'.repeat(43)}=`, userTokenKey: USER_KEY },
        unsubscribe: { publicUrl: 'https://mail.example.net', keys: 'a key that signs links' },
      },
    });
    try {
      await door.postrider.start();
      await askEverything(door, USER_KEY);
    } finally {
      await door.close();
    }
    const described = Object.entries(OPERATIONS).flatMap(([route, { answers }]) =>
      Object.keys(answers).map((status) => `${route} ${status}`),
    );
    expect(described.filter((answer) => !seen.has(answer)).sort()).toEqual(
      [...WITH_A_BROKER, ...WITHOUT_A_STORE].sort(),
    );
  });
});

const USER_KEY = 'k'.repeat(32);
/** Named in a query where only one region is served. */
const ONE_REGION = /^region$/;
const PATH_TEXTS = ['!', 'a b', 'a\u0007b', 'x'.repeat(3000)];
const TEXTS = ['', 'a\0b', 'x', '0', '1', '1.5', '9'.repeat(12), 'ada@example.net', '2030-01-31'];
TEXTS.push('01a1def1-9ed6-7000-8fe3-719f10b82e28');

/** The words it knows, where it knows a few. */
function examplesOf(schema: unknown): string[] {
  const { options } = ((schema as { unwrap?(): unknown } | undefined)?.unwrap?.() ?? {}) as {
    options?: string[];
  };
  return options ?? [];
}

const WRONG: readonly unknown[] = [7, true, '', {}, [], null];

/** Every field, two levels down and in the first of a list: gone, or of each wrong kind; and one that is not known. */
function spoil(value: unknown, at = '', depth = 0): Array<{ at: string; body: unknown }> {
  if (typeof value !== 'object' || value === null || depth > 3) return [];
  const isList = Array.isArray(value);
  const entries = isList ? [['0', value[0]] as const] : Object.entries(value);
  const put = (name: string, inner: unknown) =>
    isList ? [inner] : Object.fromEntries([...entries.filter(([key]) => key !== name), [name, inner]]);
  const without = (name: string) => Object.fromEntries(entries.filter(([key]) => key !== name));
  return [
    ...(isList ? [] : [{ at: `${at}unknownField`, body: put('unknownField', 1) }]),
    ...entries.flatMap(([name, inner]) => [
      ...(isList ? [] : [{ at: at + name, body: without(name) }]),
      ...WRONG.map((wrong) => ({ at: at + name, body: put(name, wrong) })),
      ...spoil(inner, `${at}${name}.`, depth + 1).map((form) => ({
        at: form.at,
        body: put(name, form.body),
      })),
    ]),
  ];
}
