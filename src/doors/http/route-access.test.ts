import { expect, test } from 'vitest';
import type { Access } from '../../access/index.js';
import { silentLogger, systemClock } from '../../kernel/index.js';
import type { Inbox } from '../inbox/index.js';
import type { Preview } from '../preview/index.js';
import { ROUTES_WITH_BODY_LIMITS } from './body-limits.js';
import { createHttpApp } from './create-http-app.js';
import type { HttpRooms } from './http-rooms.js';
import { mayUse, RIGHTS, ROUTE_ACCESS } from './route-access.js';

/** Routes are only registered here, never called. */
const app = createHttpApp({
  // Where rooms are left out, so are their routes.
  rooms: new Proxy({}, { get: () => ({}) }) as HttpRooms,
  logger: silentLogger,
  clock: systemClock,
  access: {} as Access,
  bodyLimitBytes: 1024,
  inbox: {} as Inbox,
  preview: {} as Preview,
});
const routes = [
  ...new Set(
    app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`),
  ),
];

test('every route → has a row that says who may use it', () => {
  expect(routes.filter((route) => !ROUTE_ACCESS[route])).toEqual([]);
});

test('every row → has a route', () => {
  expect(Object.keys(ROUTE_ACCESS).filter((route) => !routes.includes(route))).toEqual([]);
});

test('every limit of a body → is of a route there is', () => {
  expect(ROUTES_WITH_BODY_LIMITS.filter((route) => !routes.includes(route))).toEqual([]);
});

test('no row lets a viewer change anything but their own session, or a sending key read', () => {
  const viewer = { kind: 'admin', adminId: '', email: '', name: '', role: 'viewer' } as const;
  const sender = {
    kind: 'key',
    keyId: '',
    name: '',
    companyId: 'a',
    permission: 'sending',
    fromDomains: null,
  } as const;
  const open = Object.entries(ROUTE_ACCESS).filter(([, { right }]) => right !== 'anyone');
  const writable = open.filter(([route, { right }]) => !route.startsWith('GET ') && mayUse(viewer, right));
  // A frame is answered with what was sent, and nothing is kept of it.
  expect(writable.map(([route]) => route)).toEqual(['POST /auth/sign-out', 'POST /dashboard/frame']);
  const readable = open.filter(([route, { right }]) => route.startsWith('GET ') && mayUse(sender, right));
  expect(readable).toEqual([]);
});

test('what is under /admin → is closed to keys and users', () => {
  const groups = Object.entries(ROUTE_ACCESS)
    .filter(([route]) => route.includes(' /admin/'))
    .flatMap(([, { right }]) => RIGHTS[right] as readonly string[]);
  expect(groups.filter((group) => group.startsWith('key') || group === 'user')).toEqual([]);
});
