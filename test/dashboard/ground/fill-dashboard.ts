import type { Door } from '../../journey/ground/open-door.js';

/** A name that would run, were it ever taken for markup. */
export const HOSTILE = `<img src=x onerror=alert(1)>"'><script>alert(2)</script>`;

/** Webhooks need one; no page may show it. */
export const SECRET = `one:${'A'.repeat(43)}=`;

/** A company, acme, with something on every page about it; its names are hostile. */
export async function fillDashboard({
  postrider,
  pool,
}: Door): Promise<{ webhookId: string; broadcastId: string }> {
  const { access, recipients, suppressions, rateLimits, quotas, templates, webhooks, schedules } = postrider;
  await access.tenants.create({ companyId: 'acme', name: HOSTILE, fromDomains: ['acme.example'] });
  await access.tenants.create({ companyId: 'globex', name: 'Globex' });
  await access.keys.create({ companyId: 'acme', name: HOSTILE, permission: 'sending' });
  const acme = { companyId: 'acme' };
  await recipients.upsert(
    [
      {
        externalId: 'user-1',
        email: 'ada@example.net',
        name: HOSTILE,
        language: 'de',
        timeZone: 'Europe/Oslo',
      },
      { externalId: 'user-2', email: 'grace@example.net', name: 'Grace', attributes: { plan: HOSTILE } },
    ],
    acme,
  );
  await suppressions.add([{ email: 'ada@example.net', reason: 'bounce', note: HOSTILE }], acme);
  await rateLimits.set({ type: 'welcome', companyId: 'acme', limit: 3, windowSeconds: 7200 });
  await quotas.set({ companyId: 'acme', period: 'day', limit: 500 });
  const key = { companyId: 'acme', type: 'welcome', lang: 'en' };
  const words = { subject: 'Hello {{name}}', htmlContent: '{{> paragraph text="Glad you are here."}}' };
  await templates.saveDraft(key, words, 'grace');
  await templates.publish(key, 'grace');
  await templates.saveDraft(key, { ...words, subject: 'Welcome, {{name}}' }, HOSTILE);
  const { id: webhookId } = await webhooks.create({
    ...{ companyId: 'acme', url: 'https://hooks.example.net/acme', description: HOSTILE },
  });
  const later = new Date(Date.now() + 3_600_000);
  const { broadcasts, segments } = postrider.resend;
  const { id: segmentId } = await segments.create('acme', 'Customers');
  const drafted = { segmentId, from: 'news@acme.example', subject: HOSTILE };
  const { id: broadcastId } = await broadcasts.create('acme', {
    ...{ ...drafted, name: HOSTILE, html: '<h1>Spring</h1><script>alert(3)</script>' },
  });
  await broadcasts.send('acme', broadcastId, later.toISOString());
  const sending = await broadcasts.create('acme', { ...drafted, name: 'Winter', text: 'Snow' });
  await broadcasts.send('acme', sending.id, null);
  await pool.query(
    `update postrider.schedule_runs set total = 200, looked_at = 50, queued = 45, skipped = '{"unsubscribed": 5}'
     where zone = $1`,
    [sending.id],
  );
  await postrider.schedule({ ...acme, to: 'grace@example.net', subject: HOSTILE, text: 'Hello' }, later);
  await schedules.list();
  await pool.query(
    `insert into postrider.schedule_runs (id, schedule, zone, slot, manual, state, total, looked_at, queued, skipped)
     select gen_random_uuid(), name, 'UTC', now() - interval '1 hour', false, 'done', 120, 120, 100, '{"preference": 20}'
     from postrider.schedules where name not like 'postrider.%'`,
  );
  return { webhookId, broadcastId };
}
