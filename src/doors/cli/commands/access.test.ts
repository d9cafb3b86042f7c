import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { PostriderError } from '../../../kernel/index.js';
import type { ApiCall } from '../application.js';
import { cliForTest } from '../cli.fixture.js';
import { readPassword } from '../read-password.js';

/** An API that answers with what it is told and writes down what it was asked. */
function api(answers: Record<string, object>) {
  const asked: unknown[] = [];
  const call = (async (method: string, path: string, body?: object) => {
    asked.push([method, path, ...(body ? [body] : [])]);
    return answers[`${method} ${path}`] ?? {};
  }) as ApiCall;
  return { asked, call };
}

const account = {
  email: 'ada@example.com',
  name: 'Ada',
  role: 'admin',
  lastSignInAt: null,
  disabledAt: null,
};

test('the first account → an admin; the next → a viewer, unless a role is said', async () => {
  for (const [admins, args, role] of [
    [[], [], 'admin'],
    [[account], [], 'viewer'],
    [[account], ['--role', 'operator'], 'operator'],
  ] as const) {
    const { asked, call } = api({ 'GET /admin/admins': { admins }, 'POST /admin/admins': account });
    const cli = cliForTest({ application: { call }, password: 'typed in' });
    expect(await cli.run('admin', 'create', 'ada@example.com', ...args)).toBe(0);
    expect(asked[1]).toEqual([
      'POST',
      '/admin/admins',
      { email: 'ada@example.com', role, password: 'typed in' },
    ]);
    expect([...cli.out, ...cli.notes].join()).not.toContain('typed in');
  }
});

test('a password as an argument → no such option, nothing is asked', async () => {
  const { asked, call } = api({});
  const cli = cliForTest({ application: { call } });
  expect(await cli.run('admin', 'create', 'ada@example.com', '--password', 'secret')).toBe(2);
  expect(asked).toEqual([]);
});

test('a code → alone on standard output', async () => {
  const { asked, call } = api({ 'POST /admin/admins/ada%40example.com/code': { code: '123456' } });
  const cli = cliForTest({ application: { call } });
  expect(await cli.run('admin', 'code', 'ada@example.com')).toBe(0);
  expect(cli.out).toEqual(['123456']);
  expect(asked).toHaveLength(1);
});

test('a key → its token alone on standard output, the rest beside it', async () => {
  const { asked, call } = api({
    'POST /admin/keys': { id: 'k1', companyId: 'acme', permission: 'sending', token: 're_x' },
  });
  const cli = cliForTest({ application: { call } });
  const code = await cli.run(
    ...['keys', 'create', 'acme', '--name', 'shop', '--permission', 'sending'],
    ...['--domain', 'a.example', 'b.example'],
  );
  expect(code).toBe(0);
  expect(cli.out).toEqual(['re_x']);
  expect(asked).toEqual([
    [
      'POST',
      '/admin/keys',
      { companyId: 'acme', name: 'shop', permission: 'sending', fromDomains: ['a.example', 'b.example'] },
    ],
  ]);
});

test.each([
  [
    ['tenants', 'disable', 'acme'],
    ['PATCH', '/admin/tenants/acme', { disabled: true }],
  ],
  [
    ['tenants', 'enable', 'acme'],
    ['PATCH', '/admin/tenants/acme', { disabled: false }],
  ],
  [
    ['tenants', 'senders', 'acme', '--any-domain'],
    ['PATCH', '/admin/tenants/acme', { fromDomains: null }],
  ],
  [
    ['tenants', 'senders', 'acme', '--domain', 'a.example'],
    ['PATCH', '/admin/tenants/acme', { fromDomains: ['a.example'] }],
  ],
  [
    ['tenants', 'contact', 'acme', 'ops@acme.example'],
    ['PATCH', '/admin/tenants/acme', { contact: 'ops@acme.example' }],
  ],
  [
    ['tenants', 'contact', 'acme'],
    ['PATCH', '/admin/tenants/acme', { contact: null }],
  ],
  [
    ['keys', 'revoke', 'k1'],
    ['DELETE', '/admin/keys/k1'],
  ],
  [
    ['admin', 'disable', 'a@b.example'],
    ['PATCH', '/admin/admins/a%40b.example', { disabled: true }],
  ],
  [
    ['admin', 'role', 'a@b.example', 'viewer'],
    ['PATCH', '/admin/admins/a%40b.example', { role: 'viewer' }],
  ],
])('%j → %j', async (args, asks) => {
  const { asked, call } = api({
    [`${asks[0]} ${asks[1]}`]: { ...account, companyId: 'acme', fromDomains: null },
  });
  const cli = cliForTest({ application: { call } });
  expect(await cli.run(...args)).toBe(0);
  expect(asked).toEqual([asks]);
});

test('senders without a word which → 2, nothing is asked', async () => {
  const { asked, call } = api({});
  const cli = cliForTest({ application: { call } });
  expect(await cli.run('tenants', 'senders', 'acme')).toBe(2);
  expect(asked).toEqual([]);
});

test('the embedded store is open in another process → that one is asked, with the key of the settings', async () => {
  const requests: Array<[string, string | null]> = [];
  const fetch = (async (url: string, init?: RequestInit) => {
    requests.push([String(url), new Headers(init?.headers).get('authorization')]);
    return Response.json({
      tenants: [{ companyId: 'acme', name: null, fromDomains: null, disabledAt: null }],
    });
  }) as typeof globalThis.fetch;
  const locked = async () => {
    throw new PostriderError('STORE_LOCKED', 'locked');
  };
  const cli = cliForTest({ opening: locked, fetch, env: { POSTRIDER_API_KEY: 'k', PORT: '3401' } });
  expect(await cli.run('tenants', 'list')).toBe(0);
  expect(requests).toEqual([
    ['http://127.0.0.1:3401/health/live', null],
    ['http://127.0.0.1:3401/admin/tenants?limit=1000', 'Bearer k'],
  ]);
  expect(cli.out).toEqual(['acme  enabled  any domain']);
});

test('a password that is piped in → its first line, without the line end', async () => {
  for (const text of ['correct horse\r\nmore\n', 'correct horse\n', 'correct horse']) {
    const input = new PassThrough();
    input.end(text);
    expect(await readPassword(input, new PassThrough())).toBe('correct horse');
  }
});

test('nothing piped in → refused', async () => {
  const input = new PassThrough();
  input.end();
  await expect(readPassword(input, new PassThrough())).rejects.toMatchObject({ field: 'password' });
});

test('typed → asked twice, never shown; two that differ → refused', async () => {
  for (const [second, agrees] of [
    ['correct horse', true],
    ['correct hose', false],
  ] as const) {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const output = new PassThrough();
    let shown = '';
    const answers = ['correct horse\r', `${second}\r`];
    output.on('data', (chunk) => {
      shown += chunk;
      if (/: $/.test(String(chunk))) input.write(answers.shift());
    });
    const reading = readPassword(input, output);
    if (agrees) expect(await reading).toBe('correct horse');
    else await expect(reading).rejects.toMatchObject({ code: 'INVALID_PAYLOAD' });
    expect(shown).not.toContain('horse');
    expect(shown).not.toContain('hose');
  }
});
