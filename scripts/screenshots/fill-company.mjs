/** An invented company with words, people, limits, a webhook and a key of its own, for the pages about them. */
export async function fillCompany(postrider) {
  const { access, recipients, suppressions, rateLimits, quotas, templates } = postrider;
  const companyId = 'fjord';
  await access.tenants.create({ companyId, name: 'Fjord Ferries', fromDomains: ['fjord.example'] });
  await access.tenants.create({ companyId: 'harbour', name: 'Harbour Tickets' });
  await access.keys.create({ companyId, name: 'web shop', permission: 'sending' });
  await access.admins.create({
    ...{ email: 'ada@fjord.example', name: 'Ada', role: 'admin', password: 'correct horse battery' },
  });
  const people = ['ada', 'grace', 'alan', 'barbara'].map((name, index) => ({
    ...{ externalId: `user-${index + 1}`, email: `${name}@example.net`, language: index % 2 ? 'de' : 'en' },
    ...{ name: name[0].toUpperCase() + name.slice(1), timeZone: 'Europe/Oslo' },
  }));
  await recipients.upsert(people, { companyId });
  await suppressions.add(
    [
      { email: 'alan@example.net', reason: 'bounce', note: '550 5.1.1 no such mailbox' },
      { email: 'barbara@example.net', reason: 'unsubscribe', category: 'weeklyFocus' },
    ],
    { companyId },
  );
  await rateLimits.set({ type: 'welcome', companyId, limit: 3, windowSeconds: 7200 });
  await quotas.set({ companyId, period: 'day', limit: 500 });
  const key = { companyId, type: 'welcome', lang: 'en' };
  const html = [
    '{{> title text="Welcome aboard"}}',
    '{{> paragraph text="The next ferry leaves when you do."}}',
    '{{> button url=app.url label="Find a crossing"}}',
  ].join('\n');
  await templates.saveDraft(key, { subject: 'Welcome aboard, {{name}}', htmlContent: html }, 'ada');
  await templates.publish(key, 'ada');
  await templates.saveDraft(key, { subject: 'Good to have you, {{name}}', htmlContent: html }, 'grace');
  const { id: webhookId } = await postrider.webhooks.create({
    ...{ companyId, url: 'https://hooks.fjord.example/email', description: 'Booking system' },
  });
  const broadcastId = await fillBroadcasts(postrider, companyId);
  return { webhookId, broadcastId };
}

/** One that waits for its time, one under way, one that is still being written. */
async function fillBroadcasts(postrider, companyId) {
  const { broadcasts, segments } = postrider.resend;
  const { id: segmentId } = await segments.create(companyId, 'Frequent travellers');
  const common = { segmentId, from: 'Fjord Ferries <news@fjord.example>' };
  const html =
    '<h1>The summer timetable</h1><p>Hello {{{FIRST_NAME|there}}}, from June on we sail every hour.</p>';
  await broadcasts.create(companyId, {
    ...common,
    name: 'Autumn offers',
    subject: 'Quiet seas, small prices',
  });
  const begun = await broadcasts.create(companyId, {
    ...{ ...common, name: 'Summer timetable', subject: 'Every hour from June', html },
  });
  await broadcasts.send(companyId, begun.id, null);
  const store = await postrider.ready();
  await store.query(
    `update postrider.schedule_runs set total = 1200, looked_at = 800, queued = 742, skipped = '{"unsubscribed": 58}'
     where zone = $1`,
    [begun.id],
  );
  const waiting = await broadcasts.create(companyId, {
    ...{ ...common, name: 'New harbour', subject: 'We call at Ålesund', text: 'From August.' },
  });
  await broadcasts.send(companyId, waiting.id, new Date(Date.now() + 26 * 3_600_000).toISOString());
  return begun.id;
}
