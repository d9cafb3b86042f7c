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
  return { webhookId };
}
