import type pg from 'pg';
import { waitFor } from '../../services/index.js';
import { type Answer, type Call, json } from './http-client.js';

/** Something of every kind that a path can name, so that an attack gets past "not found" to the code behind it. */
export interface Contents {
  /** A key of the tenant under attack that may do everything. */
  key: string;
  /** A key of the tenant that must never notice. */
  otherKey: string;
  emailId: string;
  broadcastId: string;
  segmentId: string;
  /** What stands for `:name` in a path, most specific first: `emails/:id`, then `:id`. */
  stands: Record<string, string>;
}

type Ask = (options: Omit<Call, 'port'>) => Promise<Answer>;

export async function fillStore(ask: Ask, pool: pg.Pool): Promise<Contents> {
  const make = async (path: string, body: object, method = 'POST', as?: string) => {
    const answer = await ask({
      ...{ method, path, body: JSON.stringify(body) },
      ...(as && { as }),
      headers: { 'Content-Type': 'application/json' },
    });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.text === '' ? {} : json(answer);
  };
  for (const companyId of ['default', 'other']) await make('/admin/tenants', { companyId, name: companyId });
  const { id: keyId, token: key } = await make('/admin/keys', { companyId: 'default', name: 'full' });
  const { token: otherKey } = await make('/admin/keys', { companyId: 'other', name: 'other' });
  const attachments = [{ filename: 'a.txt', content: 'NDI=' }];
  const email = { to: 'ada@example.net', subject: 'x', text: 'x', html: '<p>x</p>', attachments };
  const { emailId } = (await make('/v1/email/send', email)) as { emailId: string };
  const send = async (more: object) => String((await make('/v1/email/send', { ...email, ...more })).emailId);
  const dead = await send({ to: 'dead@example.net' });
  const waiting = await send({ scheduledAt: new Date(Date.now() + 86_400_000).toISOString() });
  const { id: segmentId } = (await make('/resend/segments', { name: 'Everyone' })) as { id: string };
  const { id: broadcastId } = (await make('/resend/broadcasts', {
    ...{ name: 'x', segment_id: segmentId, from: 'a@example.com', subject: 'x', html: '<p>x</p>' },
  })) as { id: string };
  const idOf = async (path: string, body: object) => String((await make(path, body)).id);
  const contact = await idOf('/resend/contacts', { email: 'cy@example.net', first_name: 'Cy' });
  await make(`/resend/contacts/${contact}/segments/${segmentId}`, {});
  const webhook = await idOf('/v1/webhooks', { url: 'http://127.0.0.1:9/', companyId: 'default' });
  await make('/v1/email/send', { ...email, to: 'bob@example.net' });
  const deliveryId = async () => {
    const answer = await ask({ method: 'GET', path: `/v1/webhooks/${webhook}/deliveries` });
    return (json(answer).deliveries as Array<{ id: string }>)[0]?.id;
  };
  await make('/v1/recipients', { recipients: [{ externalId: 'p-7', email: 'ada@example.net' }] });
  await make('/v1/suppressions', { suppressions: [{ email: 'gone@example.net', reason: 'manual' }] });
  const suppressed = await ask({ method: 'GET', path: '/resend/suppressions' });
  await make('/admin/admins', {
    ...{ email: 'op@example.com', password: 'correct horse battery', name: 'Op', role: 'viewer' },
  });
  const draft = { subject: 'Welcome', htmlContent: '<p>Hello</p>', textContent: 'Hello' };
  await make('/admin/templates/welcome/en/draft', draft, 'PUT');
  const share = (await make(`/resend/emails/${emailId}/share`, {})) as { url: string };
  const delivery = await waitFor(deliveryId, { timeoutMs: 60_000, what: 'a webhook delivery' });
  await waitFor(
    async () => {
      const { rows } = await pool.query(
        "select from postrider.email_logs where id = $1 and status = 'sent' or id = $2 and status = 'failed'",
        [emailId, dead],
      );
      return rows.length === 2;
    },
    { timeoutMs: 60_000, what: 'one email to be sent and one to fail' },
  );
  return {
    ...{ key: String(key), otherKey: String(otherKey), emailId, broadcastId, segmentId },
    stands: {
      'emails/:id': emailId,
      'dead-letters/:id': dead,
      'PATCH /v1/emails/:id': waiting,
      'POST /v1/emails/:id/cancel': waiting,
      'PATCH /resend/emails/:id': waiting,
      'POST /resend/emails/:id/cancel': waiting,
      'keys/:id': String(keyId),
      'api-keys/:id': String(keyId),
      'admins/:id': 'op@example.com',
      'domains/:id': await idOf('/resend/domains', { name: 'alpha.example.com' }),
      'webhooks/:id': webhook,
      'suppressions/:email': 'gone@example.net',
      'recipients/:person': 'external:p-7',
      'tenants/:companyId': 'other',
      'quotas/:companyId': 'default',
      'shared/:token': share.url.split('/').at(-1)!,
      'u/:token': 'none',
      'attachments/:token': 'none',
      ':attachment': emailId,
      ':broadcast': broadcastId,
      ':segment': segmentId,
      ':contact': contact,
      ':delivery': delivery,
      ':event': delivery,
      ':entry': (json(suppressed).data as Array<{ id: string }>)[0]?.id ?? 'none',
      ':template': await idOf('/resend/templates', { name: 'x', alias: 'x', html: '<p>{{{A}}}</p>' }),
      ':topic': await idOf('/resend/topics', { name: 'x', default_subscription: 'opt_in' }),
      ':property': await idOf('/resend/contact-properties', { key: 'x', type: 'string' }),
      ':index': '0',
      ':period': 'day',
      ':type': 'welcome',
      ':lang': 'en',
      ':name': 'weekly-focus',
      ':id': emailId,
    },
  };
}
