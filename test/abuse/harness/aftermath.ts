import { callUntil, json } from './http-client.js';
import type { Target } from './target.js';

/** What must still work after an attack: every list answers, and another tenant's ordinary email is sent. */
const LISTS = [
  '/v1/emails',
  '/v1/emails?companyId=other',
  '/admin/emails',
  '/admin/emails/export?days=1',
  '/admin/dead-letters',
  '/admin/dead-letters/groups',
  '/admin/overview',
  '/admin/alerts',
  '/admin/flow',
  '/admin/figures',
  '/admin/audit',
  '/admin/templates',
  '/admin/templates/welcome/en',
  '/admin/broadcasts',
  '/admin/schedules',
  '/admin/pauses',
  '/admin/routes',
  '/admin/rate-limits',
  '/admin/quotas',
  '/admin/tenants',
  '/admin/keys',
  '/admin/webhooks',
  '/v1/recipients',
  '/v1/suppressions',
  '/v1/suppressions/export',
  '/resend/emails',
  '/resend/templates',
  '/resend/broadcasts',
  '/resend/contacts',
  '/resend/segments',
  '/resend/topics',
  '/resend/suppressions',
  '/resend/domains',
  '/resend/webhooks',
  '/metrics',
  '/health/ready',
];

/** No measure of speed, which the stall is; just of an answer that does not come. */
const WITHIN_MS = 20_000;

/** What does not answer, in sentences; none where all is well. */
export async function whatIsBroken(target: Target): Promise<string[]> {
  const late = await otherTenantSuffers(target);
  return [...(late === null ? [] : [late]), ...(await brokenLists(target))];
}

async function brokenLists(target: Target): Promise<string[]> {
  const broken: string[] = [];
  for (const path of LISTS) {
    const { status, text, error } = await target.ask({ method: 'GET', path, timeoutMs: WITHIN_MS });
    if (status !== 200) broken.push(`GET ${path}: ${status || error} ${text.slice(0, 160)}`);
  }
  return broken;
}

let count = 0;

/** An ordinary email of another tenant, from the request to the server that takes it; null when all is well. */
async function otherTenantSuffers(target: Target): Promise<string | null> {
  count += 1;
  const to = `other-${count}@example.net`;
  const answer = await target.ask({
    ...{ method: 'POST', path: '/v1/email/send', as: target.contents.otherKey, timeoutMs: WITHIN_MS },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ to, subject: 'Hello', text: 'Hello' }),
  });
  if (answer.status !== 202) return `another tenant's email: ${answer.status || answer.error}`;
  const sent = await callUntil(
    async () => ({ ...answer, status: target.sink.taken(to) }),
    ({ status }) => status > 0,
    WITHIN_MS,
  );
  return sent === null ? `another tenant's email ${String(json(answer).emailId)} is not sent` : null;
}
