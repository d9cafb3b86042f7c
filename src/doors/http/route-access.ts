/**
 * Who may use which route: one row each, the least that is needed. A route without a row is closed to everyone, and
 * a test fails until it has one. Whose data a caller sees is not decided here but by the route, with `companyOf`.
 */
import type { Caller } from '../../access/index.js';
import { RESEND_ACCESS } from './resend/resend-access.js';

export type Right = keyof typeof RIGHTS;

export interface RouteAccess {
  right: Right;
  /** `inside`: the room behind it writes the audit log itself, in the transaction of the act. `never`: it changes nothing. */
  audited?: 'inside' | 'never';
}

/** Each right with the callers that have it. */
export const RIGHTS = {
  /** No identity is asked for: probes, the way in, links in emails. */
  anyone: [],
  /** Hand in emails. */
  send: ['root', 'key:full', 'key:sending', 'admin', 'operator'],
  /** See what belongs to a tenant: a key its own, operators all. */
  read: ['root', 'key:full', 'admin', 'operator', 'viewer'],
  /** Change what belongs to a tenant. */
  write: ['root', 'key:full', 'admin', 'operator'],
  /** See the whole system. */
  look: ['root', 'admin', 'operator', 'viewer'],
  /** Change how the system runs. */
  operate: ['root', 'admin', 'operator'],
  /** Change who may do what. */
  administer: ['root', 'admin'],
  /** Make and revoke a tenant's keys, and prove which domains are its own: that tenant, or who administers. */
  'own-access': ['root', 'key:full', 'admin'],
  /** Someone who is on the machine or holds the key of the settings. */
  root: ['root'],
  /** Whoever is on loopback while no key is set, signed in or not. */
  local: ['root'],
  /** A person who is signed in. */
  session: ['admin', 'operator', 'viewer'],
  /** A user of the application. */
  user: ['user'],
} as const satisfies Record<string, readonly Group[]>;

type Group = 'root' | 'key:full' | 'key:sending' | 'admin' | 'operator' | 'viewer' | 'user';

export const ROUTE_ACCESS: Readonly<Record<string, RouteAccess>> = {
  'GET /health/live': { right: 'anyone' },
  'GET /health/ready': { right: 'anyone' },
  'GET /metrics': { right: 'look' },
  'GET /openapi.json': { right: 'anyone' },
  'GET /docs': { right: 'anyone' },

  'POST /v1/email/send': { right: 'send' },
  'POST /v1/email/batch': { right: 'send' },
  'GET /v1/emails': { right: 'read' },
  'GET /v1/emails/:id': { right: 'read' },
  'GET /v1/emails/:id/events': { right: 'read' },
  'PATCH /v1/emails/:id': { right: 'write' },
  'GET /v1/emails/:id/attachments': { right: 'read' },
  'GET /v1/emails/:id/attachments/:index': { right: 'read' },
  'POST /v1/emails/:id/cancel': { right: 'write' },

  'POST /v1/recipients': { right: 'write' },
  'GET /v1/recipients': { right: 'read' },
  'GET /v1/recipients/:person': { right: 'read' },
  'DELETE /v1/recipients/:person': { right: 'write' },
  'POST /v1/recipients/:person/check-ins': { right: 'write' },
  'POST /v1/recipients/:person/activities': { right: 'write' },

  'POST /v1/suppressions': { right: 'write' },
  'GET /v1/suppressions': { right: 'read' },
  'GET /v1/suppressions/export': { right: 'read' },
  'POST /v1/suppressions/import': { right: 'write' },
  'GET /v1/suppressions/:email': { right: 'read' },
  'DELETE /v1/suppressions/:email': { right: 'write' },

  ...RESEND_ACCESS,

  'GET /v1/webhooks': { right: 'read' },
  'POST /v1/webhooks': { right: 'write' },
  'GET /v1/webhooks/:id': { right: 'read' },
  'PATCH /v1/webhooks/:id': { right: 'write' },
  'DELETE /v1/webhooks/:id': { right: 'write' },
  'POST /v1/webhooks/:id/rotate': { right: 'write' },
  'GET /v1/webhooks/:id/deliveries': { right: 'read' },
  'GET /v1/webhooks/:id/deliveries/:delivery': { right: 'read' },
  'POST /v1/webhooks/:id/deliveries/:delivery/replay': { right: 'write' },
  'POST /v1/webhooks/:id/replay': { right: 'write' },

  'GET /admin/webhooks': { right: 'look' },
  'POST /admin/webhooks': { right: 'operate' },
  'GET /admin/webhooks/:id': { right: 'look' },
  'PATCH /admin/webhooks/:id': { right: 'operate' },
  'DELETE /admin/webhooks/:id': { right: 'operate' },
  'POST /admin/webhooks/:id/rotate': { right: 'operate' },
  'GET /admin/webhooks/:id/deliveries': { right: 'look' },
  'GET /admin/webhooks/:id/deliveries/:delivery': { right: 'look' },
  'POST /admin/webhooks/:id/deliveries/:delivery/replay': { right: 'operate' },
  'POST /admin/webhooks/:id/replay': { right: 'operate' },

  // Signed by the provider; without the setting for it they answer 404.
  'POST /hooks/ses': { right: 'anyone' },
  'POST /hooks/resend': { right: 'anyone' },
  'POST /hooks/bounces': { right: 'write' },

  'GET /u/:token': { right: 'anyone' },
  'POST /u/:token': { right: 'anyone' },

  'POST /auth/sign-in': { right: 'anyone' },
  'POST /auth/code': { right: 'anyone' },
  'POST /auth/code/resend': { right: 'anyone' },
  'POST /auth/sign-out': { right: 'session', audited: 'inside' },
  'GET /auth/me': { right: 'session' },

  'GET /api/profile/emails': { right: 'user' },
  'GET /admin/emails': { right: 'look' },
  'GET /admin/emails/export': { right: 'look' },
  'GET /admin/emails/:id': { right: 'look' },
  'GET /admin/emails/:id/content': { right: 'look' },
  'GET /admin/emails/:id/html': { right: 'look' },
  'POST /admin/emails/:id/resend': { right: 'operate' },
  'POST /admin/emails/cancel': { right: 'operate' },
  'POST /admin/erasures': { right: 'administer' },
  'GET /admin/dead-letters': { right: 'look' },
  'GET /admin/dead-letters/groups': { right: 'look' },
  'GET /admin/dead-letters/:id': { right: 'look' },
  'POST /admin/dead-letters/retry': { right: 'operate' },
  'POST /admin/dead-letters/discard': { right: 'operate' },
  'POST /admin/dead-letters/:id/retry': { right: 'operate' },
  'POST /admin/dead-letters/:id/discard': { right: 'operate' },
  'GET /admin/broker/dead-letters': { right: 'look' },
  'POST /admin/broker/dead-letters/requeue': { right: 'operate' },
  'POST /admin/broker/dead-letters/purge': { right: 'operate' },
  'GET /admin/bus': { right: 'look' },
  'GET /admin/bus/dead-letters': { right: 'look' },
  'POST /admin/bus/dead-letters/retry': { right: 'operate' },

  'GET /admin/overview': { right: 'look' },
  'GET /admin/alerts': { right: 'look' },
  'GET /admin/flow': { right: 'look' },
  'GET /admin/figures': { right: 'look' },
  'GET /admin/routes': { right: 'look' },
  'GET /admin/pauses': { right: 'look' },
  'PUT /admin/pauses': { right: 'operate' },
  'DELETE /admin/pauses': { right: 'operate' },

  'GET /admin/templates': { right: 'look' },
  'GET /admin/templates/:type/:lang': { right: 'look' },
  'GET /admin/templates/:type/:lang/preview': { right: 'look' },
  'PUT /admin/templates/:type/:lang/draft': { right: 'operate' },
  'DELETE /admin/templates/:type/:lang/draft': { right: 'operate' },
  'POST /admin/templates/:type/:lang/preview': { right: 'operate', audited: 'never' },
  'POST /admin/templates/:type/:lang/publish': { right: 'operate' },
  'POST /admin/templates/:type/:lang/roll-back': { right: 'operate' },
  'POST /admin/templates/:type/:lang/active': { right: 'operate' },
  'GET /admin/schedules': { right: 'look' },
  'GET /admin/schedules/:name/runs': { right: 'look' },
  'POST /admin/schedules/:name/pause': { right: 'operate' },
  'POST /admin/schedules/:name/resume': { right: 'operate' },
  'POST /admin/schedules/:name/run': { right: 'operate' },

  'GET /admin/broadcasts': { right: 'look' },
  'GET /admin/broadcasts/:broadcast': { right: 'look' },
  'POST /admin/broadcasts/:broadcast/cancel': { right: 'operate' },

  'GET /admin/rate-limits': { right: 'look' },
  'PUT /admin/rate-limits/:type': { right: 'operate' },
  'DELETE /admin/rate-limits/:type': { right: 'operate' },
  'POST /admin/rate-limits/check': { right: 'operate', audited: 'never' },
  'POST /admin/rate-limits/reset': { right: 'operate' },
  'GET /admin/quotas': { right: 'look' },
  'PUT /admin/quotas/:companyId/:period': { right: 'operate' },
  'DELETE /admin/quotas/:companyId/:period': { right: 'operate' },

  'GET /admin/tenants': { right: 'look' },
  'POST /admin/tenants': { right: 'administer', audited: 'inside' },
  'PATCH /admin/tenants/:companyId': { right: 'administer', audited: 'inside' },
  'GET /admin/keys': { right: 'look' },
  'POST /admin/keys': { right: 'administer', audited: 'inside' },
  'DELETE /admin/keys/:id': { right: 'administer', audited: 'inside' },
  'GET /admin/admins': { right: 'administer' },
  'POST /admin/admins': { right: 'administer', audited: 'inside' },
  'PATCH /admin/admins/:id': { right: 'administer', audited: 'inside' },
  'POST /admin/admins/:id/code': { right: 'root', audited: 'inside' },
  'POST /admin/secrets/rotate': { right: 'root', audited: 'inside' },
  'GET /admin/audit': { right: 'administer' },
  'GET /admin/settings': { right: 'look' },

  // Files without data; the pages ask the API, which asks who is there.
  'GET /': { right: 'anyone' },
  'GET /dashboard/*': { right: 'anyone' },
  'POST /dashboard/frame': { right: 'look', audited: 'never' },
  'GET /admin/session': { right: 'look' },

  // These exist in development only.
  'GET /dev/inbox/messages': { right: 'local' },
  'DELETE /dev/inbox/messages': { right: 'local' },
  'GET /dev/inbox/messages/:id': { right: 'local' },
  'GET /dev/inbox/messages/:id/raw': { right: 'local' },
  'GET /dev/inbox/messages/:id/html': { right: 'local' },
  'GET /dev/inbox/messages/:id/attachments/:n': { right: 'local' },
  'GET /dev/inbox/stream': { right: 'local' },
  'POST /dev/inbox/sample': { right: 'local' },
  'GET /dev/templates': { right: 'local' },
  'GET /dev/templates/types': { right: 'local' },
  'POST /dev/templates/render': { right: 'local' },
  'GET /dev/templates/frames/:id': { right: 'local' },
  'POST /dev/templates/send': { right: 'local' },
  'GET /dev/templates/stream': { right: 'local' },
};

export function mayUse(caller: Caller, right: Right): boolean {
  if (right === 'anyone') return true;
  const group = groupOf(caller);
  return group !== null && (RIGHTS[right] as readonly Group[]).includes(group);
}

function groupOf(caller: Caller): Group | null {
  switch (caller.kind) {
    case 'root':
    case 'user':
      return caller.kind;
    case 'key':
      return `key:${caller.permission}`;
    case 'admin':
      return caller.role;
    case 'anyone':
      return null;
  }
}
