/**
 * Every page of the dashboard: where it is, what it is called, who sees it. A page is one file here with a default
 * export, loaded when it is first opened; adding one is adding a row.
 */
import { type ComponentType, lazy } from 'react';
import type { Right, Session } from '../api/session.js';
import type { IconName } from '../parts/icon.js';

export interface DashboardPage {
  path: string;
  /** Further addresses of the same page, such as one of its items. */
  also?: readonly string[];
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

const PAGES: readonly DashboardPage[] = [
  {
    path: '/',
    label: 'Overview',
    icon: 'pulse',
    group: 'Now',
    component: lazy(() => import('./overview-page.js')),
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
