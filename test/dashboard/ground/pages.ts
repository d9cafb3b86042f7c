import { HOSTILE } from './fill-dashboard.js';

/** Every page of the dashboard, each with a text that is there once fillDashboard has filled it. */
export const PAGES: Record<string, string> = {
  '/content?companyId=acme': 'draft, version 2',
  '/content/welcome/en?companyId=acme&edit=1': HOSTILE,
  '/schedules': 'weekly_focus',
  '/schedules/weekly_focus': '20 preference',
  '/broadcasts': 'Winter',
  '/broadcasts/:broadcast': 'What it says',
  '/limits': '3 per 2 hours',
  '/webhooks': HOSTILE,
  '/webhooks/:id': 'email.scheduled',
  '/recipients?companyId=acme': HOSTILE,
  '/recipients/external:user-1?companyId=acme': HOSTILE,
  '/suppressions?companyId=acme': HOSTILE,
  '/tenants': HOSTILE,
  '/keys': HOSTILE,
  '/admins': 'No account yet',
  '/audit': 'tenant.create',
  '/settings?show=all': 'access.secretKeys',
};

/** Those that are empty but for what they always say. */
export const ALL_PAGES: Record<string, string> = {
  '/': 'Queue',
  '/emails': 'Accepted',
  '/dead-letters': 'No dead letters',
  ...PAGES,
};
