/**
 * Every page of the dashboard: where it is, what it is called, who sees it. A page is one file here with a default
 * export, loaded when it is first opened; adding one is adding a row.
 */
import { type ComponentType, lazy } from 'react';
import { notLoaded } from '../api/api-error.js';
import type { Right, Session } from '../api/session.js';
import type { IconName } from '../parts/icon.js';

export interface DashboardPage {
  path: string;
  /** The page of one of its items. */
  items?: { path: string; component: ComponentType };
  label: string;
  icon: IconName;
  /** The heading it stands under. */
  group: 'Now' | 'Sending' | 'People' | 'System' | 'Development';
  component: ComponentType;
  /** What one must be allowed to; `look` unless said otherwise. */
  right?: Right;
  /** Only where the process has it. */
  development?: keyof Session['development'];
}

/** Its code comes when it is first opened; that it did not come is said like any other refusal. */
function fetched(load: () => Promise<{ default: ComponentType }>): ComponentType {
  return lazy(() =>
    load().catch(() => {
      throw notLoaded();
    }),
  );
}

const PAGES: readonly DashboardPage[] = [
  {
    path: '/',
    label: 'Overview',
    icon: 'pulse',
    group: 'Now',
    component: fetched(() => import('./overview-page.js')),
  },
  {
    path: '/emails',
    label: 'Emails',
    icon: 'mail',
    group: 'Now',
    component: fetched(() => import('./emails-page.js')),
    items: { path: '/emails/:id', component: fetched(() => import('./email-page.js')) },
  },
  {
    path: '/dead-letters',
    label: 'Dead letters',
    icon: 'stop',
    group: 'Now',
    component: fetched(() => import('./dead-letters-page.js')),
  },
  {
    path: '/content',
    label: 'Content',
    icon: 'page',
    group: 'Sending',
    component: fetched(() => import('./content-page.js')),
    items: { path: '/content/:type/:lang', component: fetched(() => import('./content-type-page.js')) },
  },
  {
    path: '/schedules',
    label: 'Schedules',
    icon: 'clock',
    group: 'Sending',
    component: fetched(() => import('./schedules-page.js')),
    items: { path: '/schedules/:name', component: fetched(() => import('./schedule-page.js')) },
  },
  {
    path: '/broadcasts',
    label: 'Broadcasts',
    icon: 'send',
    group: 'Sending',
    component: fetched(() => import('./broadcasts-page.js')),
    items: { path: '/broadcasts/:id', component: fetched(() => import('./broadcast-page.js')) },
  },
  {
    path: '/limits',
    label: 'Rate limits',
    icon: 'gauge',
    group: 'Sending',
    component: fetched(() => import('./limits-page.js')),
  },
  {
    path: '/webhooks',
    label: 'Webhooks',
    icon: 'hook',
    group: 'Sending',
    component: fetched(() => import('./webhooks-page.js')),
    items: { path: '/webhooks/:id', component: fetched(() => import('./webhook-page.js')) },
  },
  {
    path: '/recipients',
    label: 'Recipients',
    icon: 'people',
    group: 'People',
    component: fetched(() => import('./recipients-page.js')),
    items: { path: '/recipients/:person', component: fetched(() => import('./recipient-page.js')) },
  },
  {
    path: '/suppressions',
    label: 'Suppressions',
    icon: 'shield',
    group: 'People',
    component: fetched(() => import('./suppressions-page.js')),
  },
  {
    path: '/tenants',
    label: 'Tenants',
    icon: 'building',
    group: 'System',
    component: fetched(() => import('./tenants-page.js')),
  },
  {
    path: '/keys',
    label: 'API keys',
    icon: 'key',
    group: 'System',
    component: fetched(() => import('./keys-page.js')),
  },
  {
    path: '/admins',
    label: 'Operators',
    icon: 'people',
    group: 'System',
    component: fetched(() => import('./admins-page.js')),
    right: 'administer',
  },
  {
    path: '/audit',
    label: 'Audit log',
    icon: 'list',
    group: 'System',
    component: fetched(() => import('./audit-page.js')),
    right: 'administer',
  },
  {
    path: '/settings',
    label: 'Settings',
    icon: 'cog',
    group: 'System',
    component: fetched(() => import('./settings-page.js')),
  },
  {
    path: '/inbox',
    label: 'Inbox',
    icon: 'inbox',
    group: 'Development',
    component: fetched(() => import('./inbox-page.js')),
    items: { path: '/inbox/:id', component: fetched(() => import('./inbox-page.js')) },
    development: 'inbox',
  },
];

const ADMINISTERS: readonly Session['role'][] = ['root', 'admin'];
const OPERATES: readonly Session['role'][] = [...ADMINISTERS, 'operator'];

export function pagesFor({ role, development }: Session): DashboardPage[] {
  return PAGES.filter((page) => {
    if (page.development && !development[page.development]) return false;
    if (page.right === 'administer') return ADMINISTERS.includes(role);
    if (page.right === 'operate') return OPERATES.includes(role);
    return true;
  });
}
