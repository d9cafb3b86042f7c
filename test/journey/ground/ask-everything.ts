import { signUserToken } from '../../../src/index.js';
import { waitFor } from '../../services/index.js';
import type { Answer, Door, Knock } from './open-door.js';
import { rejected } from './scripted-provider.js';

/**
 * Asks every route of the API for something it can do, one after the other on a store of its own, so that each answers
 * what the description says of its success. `Door.call` compares; here is only the way there.
 */
export async function askEverything(door: Door, userKey: string): Promise<void> {
  await askAboutEmails(door, userKey);
  await askAboutDeadLetters(door);
  await askAboutPeople(door);
  await askAboutContent(door);
  await askAboutRunning(door);
  for (const base of ['/v1/webhooks', '/admin/webhooks']) await askAboutWebhooks(door, base);
  await askAboutAccess(door);
}

/** What went well, and nothing else. */
async function done(door: Door, method: string, path: string, knock: Knock = {}): Promise<Answer> {
  const answer = await door.call(method, path, knock);
  if (answer.status >= 400) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer;
}

const soon = () => new Date(Date.now() + 3_600_000).toISOString();
const an = (to: string, more: object = {}) => ({ to, subject: 'x', text: 'x', ...more });

async function sent(door: Door, emailId: string, status = 'sent'): Promise<void> {
  await waitFor(async () => (await door.postrider.get(emailId))?.status === status, {
    ...{ timeoutMs: 60_000, what: `${emailId} to be ${status}` },
  });
}

async function askAboutEmails(door: Door, userKey: string): Promise<void> {
  const attachments = [{ filename: 'a.txt', content: 'NDI=' }];
  const email = an('ada@example.net', { attachments, userId: 'user-7', html: '<p>x</p>' });
  const { body: accepted } = await done(door, 'POST', '/v1/email/send', { body: email });
  await sent(door, accepted.emailId);
  const later = an('later@example.net', { scheduledAt: soon(), type: 'waiting' });
  const { body: batch } = await done(door, 'POST', '/v1/email/batch', { body: [later, later, later] });
  const at = `/v1/emails/${accepted.emailId}`;
  for (const path of [at, `${at}/events`, `${at}/attachments`, `${at}/attachments/0`, '/v1/emails'])
    await done(door, 'GET', path);
  const waiting = `/v1/emails/${batch.emails[0].emailId}`;
  await done(door, 'PATCH', waiting, { body: { scheduledAt: soon() } });
  await done(door, 'POST', `${waiting}/cancel`);
  const as = signUserToken({ userId: 'user-7', companyId: 'default' }, userKey);
  await done(door, 'GET', '/api/profile/emails', { as });
  const detail = `/admin/emails/${accepted.emailId}`;
  for (const path of ['', '/content', '/html']) await done(door, 'GET', detail + path);
  for (const path of ['/admin/emails', '/admin/emails/export']) await done(door, 'GET', path);
  await done(door, 'POST', `${detail}/resend`);
  await done(door, 'POST', '/admin/emails/cancel', { body: { filter: { type: 'waiting' } } });
  await done(door, 'POST', '/admin/erasures', { body: { email: 'nobody@example.net' } });
}

async function askAboutDeadLetters(door: Door): Promise<void> {
  const dead = async () => {
    door.provider.script('dead@example.net', rejected);
    const { emailId } = await door.postrider.send(an('dead@example.net'));
    await sent(door, emailId, 'failed');
    return emailId;
  };
  const emailIds = [await dead(), await dead(), await dead(), await dead()];
  const [one, two, three, four] = emailIds;
  for (const path of ['', '/groups', `/${one}`]) await done(door, 'GET', `/admin/dead-letters${path}`);
  const act = (path: string, body?: object) => done(door, 'POST', `/admin/dead-letters/${path}`, { body });
  await act('retry', { emailIds: [one, crypto.randomUUID()] });
  await act('discard', { emailIds: [two] });
  await act(`${three}/retry`);
  await act(`${four}/discard`, { reason: 'too late' });
}

async function askAboutPeople(door: Door): Promise<void> {
  const person = { externalId: 'p-7', email: 'ada@example.net', timeZone: 'Europe/Berlin' };
  await done(door, 'POST', '/v1/recipients', { body: { recipients: [person] } });
  const at = '/v1/recipients/external:p-7';
  for (const path of ['/v1/recipients', at]) await done(door, 'GET', path);
  await done(door, 'POST', `${at}/check-ins`, { body: {} });
  await done(door, 'POST', `${at}/activities`, { body: { kind: 'visit' } });
  await done(door, 'DELETE', at);
  const suppressions = [{ email: 'bob@example.net', reason: 'manual', note: 'asked' }];
  await done(door, 'POST', '/v1/suppressions', { body: { suppressions } });
  const raw = 'email,reason\neve@example.net,manual\nnobody,manual\n';
  const headers = { 'Content-Type': 'text/csv' };
  await done(door, 'POST', '/v1/suppressions/import?dryRun=true', { raw, headers });
  await done(door, 'POST', '/v1/suppressions/import?skipRefused=true', { raw, headers });
  for (const path of ['', '/export', '/export?format=ndjson', '/bob@example.net'])
    await done(door, 'GET', `/v1/suppressions${path}`);
  await done(door, 'DELETE', '/v1/suppressions/bob@example.net');
  await askToUnsubscribe(door);
}

async function askToUnsubscribe(door: Door): Promise<void> {
  const reminder = { type: 'checkin_reminder' as const, data: { streakDays: 3 } };
  const { emailId } = await door.postrider.send({ to: 'cy@example.net', ...reminder });
  const { rows } = await door.pool.query('select message from postrider.emails where id = $1', [emailId]);
  const path = `/u/${rows[0].message.headers['List-Unsubscribe'].slice(1, -1).split('/u/')[1]}`;
  const form = { as: null, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
  await done(door, 'GET', path, { as: null });
  await done(door, 'POST', path, { ...form, raw: 'action=all' });
  await done(door, 'POST', path, { ...form, raw: 'List-Unsubscribe=One-Click' });
  for (const method of ['GET', 'POST']) await door.call(method, '/u/none', { ...form, as: null });
}

async function askAboutContent(door: Door): Promise<void> {
  const at = '/admin/templates/welcome/en';
  const draft = { subject: 'Welcome', htmlContent: '<p>Hello</p>', textContent: 'Hello' };
  const save = () => done(door, 'PUT', `${at}/draft`, { body: draft });
  await save();
  await done(door, 'DELETE', `${at}/draft`);
  for (const _twice of [1, 2]) {
    await save();
    await done(door, 'POST', `${at}/publish`);
  }
  await done(door, 'POST', `${at}/roll-back`);
  await done(door, 'POST', `${at}/active`, { body: { isActive: false } });
  await done(door, 'POST', `${at}/preview`, { body: { content: draft } });
  for (const path of ['/admin/templates', at, `${at}/preview`]) await done(door, 'GET', path);
}

async function askAboutRunning(door: Door): Promise<void> {
  const of = (path: string) => `/admin/${path}`;
  await done(door, 'PUT', of('pauses'), { body: { scope: 'type', value: 'nothing', reason: 'a test' } });
  for (const path of [
    'overview',
    'alerts',
    'flow',
    'figures',
    'routes',
    'pauses',
    'settings',
    'bus',
    'session',
  ])
    await done(door, 'GET', of(path));
  await done(door, 'DELETE', of('pauses?scope=type&value=nothing'));
  await done(door, 'PUT', of('rate-limits/welcome'), { body: { limit: 5, windowSeconds: 60 } });
  await done(door, 'POST', of('rate-limits/check'), { body: { address: 'a@example.net', type: 'welcome' } });
  await done(door, 'POST', of('rate-limits/reset'), { body: { userId: 'user_1', type: 'welcome' } });
  await done(door, 'PUT', of('quotas/default/day'), { body: { limit: 1_000_000 } });
  for (const path of ['rate-limits', 'quotas']) await done(door, 'GET', of(path));
  await done(door, 'DELETE', of('rate-limits/welcome'));
  await done(door, 'DELETE', of('quotas/default/day'));
  const { schedules } = (await done(door, 'GET', of('schedules'))).body;
  const schedule = of(`schedules/${schedules[0].name}`);
  for (const act of ['pause', 'resume', 'run']) await done(door, 'POST', `${schedule}/${act}`);
  await done(door, 'GET', `${schedule}/runs`);
  const { segments, broadcasts } = door.postrider.resend;
  const segment = await segments.create('default', 'Everyone');
  const content = { from: 'a@example.com', subject: 'x', html: '<p>x</p>' };
  const { id } = await broadcasts.create('default', { name: 'x', segmentId: segment.id, ...content });
  await broadcasts.send('default', id, soon());
  for (const path of ['broadcasts', `broadcasts/${id}`]) await done(door, 'GET', of(path));
  await done(door, 'POST', of(`broadcasts/${id}/cancel`));
  const system = ['/health/live', '/health/ready', '/metrics', '/openapi.json', '/docs'];
  for (const path of system) await done(door, 'GET', path);
}

async function askAboutWebhooks(door: Door, base: string): Promise<void> {
  const body = { url: 'https://hooks.example.net/', description: 'x' };
  const { id } = (await done(door, 'POST', base, { body })).body;
  const at = `${base}/${id}`;
  await door.postrider.send(an('hook@example.net', { scheduledAt: soon() }));
  await done(door, 'PATCH', at, { body: { description: null } });
  for (const path of [base, at]) await done(door, 'GET', path);
  const { deliveries } = (await done(door, 'GET', `${at}/deliveries`)).body;
  await done(door, 'GET', `${at}/deliveries/${deliveries[0].id}`);
  await waitFor(
    async () => (await door.call('POST', `${at}/deliveries/${deliveries[0].id}/replay`)).status === 200,
    { timeoutMs: 60_000, what: 'a delivery that is not under way' },
  );
  await done(door, 'POST', `${at}/replay`, { body: { since: '2026-01-31T09:00:00Z' } });
  await done(door, 'POST', `${at}/rotate`);
  await done(door, 'DELETE', at);
}

async function askAboutAccess(door: Door): Promise<void> {
  await done(door, 'POST', '/admin/tenants', { body: { companyId: 'shop', name: 'Shop' } });
  await done(door, 'PATCH', '/admin/tenants/shop', { body: { name: 'The shop' } });
  const { id: key } = (await done(door, 'POST', '/admin/keys', { body: { companyId: 'shop', name: 'x' } }))
    .body;
  for (const path of ['tenants', 'keys']) await done(door, 'GET', `/admin/${path}`);
  await done(door, 'DELETE', `/admin/keys/${key}`);
  const who = { email: 'op@example.com', password: 'correct horse battery' };
  const { id } = (await done(door, 'POST', '/admin/admins', { body: { ...who, name: 'Op', role: 'viewer' } }))
    .body;
  await done(door, 'PATCH', `/admin/admins/${id}`, { body: { role: 'operator' } });
  const headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' };
  const keep = ({ headers: told }: Answer) => {
    headers.Cookie = told
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0]!)
      .join('; ');
  };
  keep(await done(door, 'POST', '/auth/sign-in', { as: null, headers, body: who }));
  // Another code is sent half a minute after the one before.
  await door.pool.query("update postrider.admin_sign_ins set sent_at = sent_at - interval '31 seconds'");
  keep(await done(door, 'POST', '/auth/code/resend', { as: null, headers }));
  const { code } = (await done(door, 'POST', `/admin/admins/${id}/code`)).body;
  keep(await done(door, 'POST', '/auth/code', { as: null, headers, body: { code } }));
  await done(door, 'GET', '/auth/me', { as: null, headers });
  await done(door, 'POST', '/auth/sign-out', { as: null, headers });
  await done(door, 'POST', '/admin/secrets/rotate');
  for (const path of ['admins', 'audit']) await done(door, 'GET', `/admin/${path}`);
}
