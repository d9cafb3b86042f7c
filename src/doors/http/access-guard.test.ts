import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { accessGuard } from './access-guard.js';

test.each([
  ['a rebound name', { Host: 'evil.example:3400' }, 'Host'],
  ['a name that only begins like loopback', { Host: '127.0.0.1.evil.example' }, 'Host'],
  ['a name that only ends like loopback', { Host: 'evillocalhost' }, 'Host'],
  ['credentials in Host', { Host: 'localhost@evil.example' }, 'Host'],
  ['a loopback name as credentials', { Host: 'evil.example@localhost' }, 'Host'],
  ['every interface', { Host: '0.0.0.0:3400' }, 'Host'],
  ['an empty Host', { Host: '' }, 'Host'],
  ['a page of another site', { Origin: 'https://evil.example' }, 'Origin'],
  ['a sandboxed page', { Origin: 'null' }, 'Origin'],
  ['a sandboxed frame of this site', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }, 'Origin'],
  ['a cross-site fetch', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }, 'Sec-Fetch-Site'],
  [
    'a cross-site frame',
    { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
    'Sec-Fetch-Site',
  ],
])('no key set and %s → refused', async (_case, headers, field) => {
  expect(await verdict('POST', headers as Record<string, string>)).toBe(field);
});

test.each([
  [{ Host: 'localhost:3400' }],
  [{ Host: 'LOCALHOST' }],
  [{ Host: 'inbox.localhost:3400' }],
  [{ Host: '127.0.0.1:3400' }],
  [{ Host: '[::1]:3400' }],
  [{ Origin: 'http://localhost:5173', 'Sec-Fetch-Site': 'same-site' }],
  [{ Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }],
])('no key set and %j → may pass', async (headers) => {
  expect(await verdict('POST', headers as Record<string, string>)).toBe('passed');
});

test('a link followed from another site → may pass, a form posted from it not', async () => {
  const followed = {
    'Sec-Fetch-Site': 'cross-site',
    'Sec-Fetch-Mode': 'navigate',
    'Sec-Fetch-Dest': 'document',
  };
  expect(await verdict('GET', followed)).toBe('passed');
  expect(await verdict('POST', followed)).toBe('Sec-Fetch-Site');
});

test.each([
  ['another machine', { remoteAddress: '192.0.2.7' }],
  ['an address nobody told', {}],
])('no key set, Host: localhost and a connection from %s → refused', async (_case, connection) => {
  const guard = accessGuard(undefined);
  const app = new Hono().all('/', (c) => c.text(guard(c)?.code ?? 'passed'));
  const answer = await app.request('/', { headers: { Host: 'localhost' } }, connection);
  expect(await answer.text()).toBe('FORBIDDEN');
});

test.each([
  ['X-Forwarded-For', '127.0.0.1'],
  ['Forwarded', 'for=127.0.0.1'],
  ['X-Real-IP', '127.0.0.1'],
  ['X-Forwarded-Host', 'localhost'],
  ['Via', '1.1 proxy'],
])('no key set and a proxy of this machine that says %s → refused', async (name, value) => {
  expect(await verdict('GET', { [name]: value })).toBe(name);
});

test('an empty key → refused at start instead of an open door', () => {
  expect(() => accessGuard(' ')).toThrow(/empty/);
});

async function verdict(method: string, headers: Record<string, string>): Promise<string> {
  const guard = accessGuard(undefined);
  const app = new Hono().all('/', (c) => c.text(guard(c)?.field ?? 'passed'));
  return (await app.request('/', { method, headers }, { remoteAddress: '127.0.0.1' })).text();
}
