import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Journey, openJourney } from '../journey/ground/open-journey.js';
import { rejected } from '../journey/ground/scripted-provider.js';
import { describeWith } from '../services/index.js';

/**
 * Two tenants that have the same of everything: the same people, external ids, keys, aliases, types, words and addresses.
 * Nothing but the tenant tells one's rows from the other's, so a statement that leaves it out reads or changes both.
 */
const BOTH = 'both@example.net';
const DEAD = 'dead@example.net';
const ALSO_DEAD = 'also-dead@example.net';
const BY = { kind: 'library', name: 'test' } as const;

/** Ids of what a twin has, by what it is. */
type Twin = Record<
  | ('sent' | 'failed' | 'discarded' | 'shared' | 'waiting' | 'alsoWaiting')
  | (
      | 'webhook'
      | 'segment'
      | 'topic'
      | 'property'
      | 'template'
      | 'broadcast'
      | 'queued'
      | 'domain'
      | 'key'
      | 'contact'
    ),
  string
>;

describeWith('postgres')('two tenants with the same of everything', () => {
  let journey: Journey;
  let alpha: Twin;
  let bravo: Twin;
  const seenAlone: Record<string, string> = {};

  beforeAll(async () => {
    journey = await openJourney({
      config: {
        access: { secretKeys: `one:${'A'.repeat(43)}=` },
        limits: { enabled: true },
      },
    });
    journey.provider.script(DEAD, rejected);
    journey.provider.script(ALSO_DEAD, rejected);
    await journey.postrider.start();
    alpha = await makeTwin('alpha');
    for (const [name, read] of reads) seenAlone[name] = shown(await read(alpha));
    bravo = await makeTwin('bravo');
  });
  afterAll(() => journey.close());

  async function makeTwin(companyId: string): Promise<Twin> {
    const { postrider } = journey;
    const { resend, access, recipients, suppressions, templates, quotas, rateLimits, webhooks } = postrider;
    await access.tenants.create({ companyId, name: 'twin', contact: BOTH });
    const key = await access.keys.create({ companyId, name: 'twin' });
    await recipients.upsert(
      [
        { externalId: 'u-1', email: BOTH, name: 'Twin', preferences: { reminders: true } },
        { email: 'plain@example.net', name: 'Twin' },
        { externalId: 'u-gone', email: 'gone@example.net' },
      ],
      { companyId },
    );
    await recipients.reportCheckIn({ externalId: 'u-1' }, { companyId, at: '2026-01-05T08:00:00Z' });
    await recipients.reportActivity({ externalId: 'u-1' }, { companyId, kind: 'meeting' });
    await suppressions.add(
      [
        { email: 'no@example.net', reason: 'manual' },
        { email: 'no@example.net', reason: 'bounce' },
        { email: 'never@example.net', reason: 'manual' },
        { email: 'away@example.net', reason: 'manual' },
      ],
      { companyId },
    );
    await quotas.set({ companyId, period: 'day', limit: 1000 });
    await rateLimits.set({ companyId, type: 'welcome', limit: 50, windowSeconds: 86_400 });
    await rateLimits.set({ companyId, type: 'verification', limit: 50, windowSeconds: 86_400 });
    const content = { subject: 'Twin', htmlContent: '<p>Twin</p>' };
    const override = { companyId, type: 'welcome', lang: 'en' };
    await templates.saveDraft(override, content, 'test');
    await templates.publish(override, 'test');
    await templates.saveDraft(override, { ...content, subject: 'Draft' }, 'test');
    const template = await resend.templates.create(companyId, { name: 'twin', alias: 'twin', html: 'x' });
    await resend.templates.create(companyId, { name: 'other', alias: 'other', html: 'x' });
    const segment = await resend.segments.create(companyId, 'twin');
    const topic = await resend.topics.create(companyId, { name: 'twin', description: null, optIn: true });
    const property = await resend.contactProperties.create(companyId, {
      ...{ key: 'twin', type: 'string', fallback: 'x' },
    });
    const contact = (await resend.contacts.find(companyId, BOTH))!;
    await resend.contacts.join(companyId, contact.id, segment.id);
    const letter = { name: 'twin', segmentId: segment.id, from: 'a@example.com', subject: 'x', html: 'x' };
    const broadcast = await resend.broadcasts.create(companyId, letter);
    const queued = await resend.broadcasts.create(companyId, letter);
    const domain = await resend.domains.create(companyId, { name: `${companyId}.example.com` }, BY);
    const webhook = await webhooks.create({
      companyId,
      url: 'https://twin.example.net/',
      events: ['email.complained'],
      description: 'twin',
    });

    // Of the worker's own making they would change while others are compared.
    await journey.pool.query(
      `with made as (
         insert into postrider.webhook_deliveries (endpoint_id, tenant, type, payload, due_at)
         values ($1, $2, 'email.complained', jsonb_build_object('to', $3::text), now() + interval '1 day') returning id)
       insert into postrider.webhook_attempts (delivery_id, duration_ms, sent_at) select id, 1, now() from made`,
      [webhook.id, companyId, BOTH],
    );
    await journey.pool.query(
      `insert into postrider.bus_events (tenant, type, email_id, payload)
       values ($1, 'email.sent', postrider.new_id(), jsonb_build_object('to', $2::text))`,
      [companyId, BOTH],
    );

    const send = async (parts: object, idempotencyKey?: string) =>
      (
        await postrider.send(
          {
            ...{ companyId, subject: 'twin', text: 'twin', userId: 'u-1', type: 'welcome' },
            ...parts,
          } as never,
          { idempotencyKey },
        )
      ).emailId;
    const scheduledAt = new Date(Date.now() + 86_400_000).toISOString();
    const waiting = await send({ to: BOTH, scheduledAt });
    const alsoWaiting = await send({ to: 'later@example.net', scheduledAt, userId: 'u-2' });
    const sent = await send(
      { to: BOTH, attachments: [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }] },
      `key:${BOTH}`,
    );
    const shared = await send({ to: 'boss@example.net', userId: 'u-3', text: `about ${BOTH}` });
    const failed = await send({ to: DEAD, userId: 'u-4' });
    const discarded = await send({ to: ALSO_DEAD, userId: 'u-4' });
    for (const id of [sent, shared]) await journey.untilStatus(id, 'sent');
    for (const id of [failed, discarded]) await journey.untilStatus(id, 'failed');
    return {
      ...{ sent, failed, discarded, shared, waiting, alsoWaiting, webhook: webhook.id, segment: segment.id },
      ...{ topic: topic.id, property: property.id, template, broadcast: broadcast.id },
      ...{ queued: queued.id, domain: domain.id, key: key.id, contact: contact.id },
    };
  }

  const first = { limit: 50, after: null, before: null };
  const own = { companyId: 'alpha' };
  /** What alpha asks for without naming a thing of its own, or with. */
  const reads: Array<[string, (of: Twin) => Promise<unknown>]> = [
    ['recipients.list', () => journey.postrider.recipients.list(own)],
    ['recipients.get by address', () => journey.postrider.recipients.get({ email: BOTH }, own)],
    ['recipients.get by externalId', () => journey.postrider.recipients.get({ externalId: 'u-1' }, own)],
    ['suppressions.list', () => journey.postrider.suppressions.list(own)],
    ['suppressions.find', () => journey.postrider.suppressions.find('no@example.net', own)],
    ['quotas.list', () => journey.postrider.quotas.list(own)],
    ['rateLimits.list', () => journey.postrider.rateLimits.list(own)],
    [
      'rateLimits.check',
      () => journey.postrider.rateLimits.check({ address: BOTH, type: 'welcome', ...own }),
    ],
    ['templates.list', () => journey.postrider.templates.list(own)],
    [
      'templates.listVersions',
      () => journey.postrider.templates.listVersions({ ...own, type: 'welcome', lang: 'en' }),
    ],
    ['webhooks.list', () => journey.postrider.webhooks.list(own)],
    [
      'webhooks.deliveries',
      async (of) =>
        (await journey.postrider.webhooks.deliveries(of.webhook, own)).deliveries.map(({ id }) => id),
    ],
    ['list', () => journey.postrider.list(own)],
    ['stats', async () => journey.postrider.stats(own)],
    ['userEmails', () => journey.postrider.userEmails({ userId: 'u-1', ...own })],
    ['timeline', (of) => journey.postrider.timeline(of.sent, own)],
    ['attachments', (of) => journey.postrider.attachments(of.sent, own)],
    ['deadLetters.list', () => journey.postrider.deadLetters.list({ ...own })],
    ['deadLetters.groups', () => journey.postrider.deadLetters.groups({ ...own })],
    ['cancelMany, dry', () => journey.postrider.cancelMany({ ...own }, { dryRun: true })],
    ['access.keys.list', () => journey.postrider.access.keys.list(own)],
    [
      'resend.suppressions.list',
      () => journey.postrider.resend.suppressions.list('alpha', { ...first, origin: null }),
    ],
    ['resend.suppressions.find', () => journey.postrider.resend.suppressions.find('alpha', 'no@example.net')],
    [
      'resend.contacts.list',
      () => journey.postrider.resend.contacts.list('alpha', { ...first, segmentId: null }),
    ],
    [
      'resend.contacts.list of a segment',
      (of) => journey.postrider.resend.contacts.list('alpha', { ...first, segmentId: of.segment }),
    ],
    ['resend.contacts.find', () => journey.postrider.resend.contacts.find('alpha', 'no@example.net')],
    ['resend.segments.list', () => journey.postrider.resend.segments.list('alpha', first)],
    ['resend.segments.of', (of) => journey.postrider.resend.segments.of('alpha', of.contact)],
    ['resend.topics.list', () => journey.postrider.resend.topics.list('alpha')],
    ['resend.contactProperties.list', () => journey.postrider.resend.contactProperties.list('alpha')],
    ['resend.templates.list', () => journey.postrider.resend.templates.list('alpha', first)],
    ['resend.templates.find', () => journey.postrider.resend.templates.find('alpha', 'twin')],
    ['resend.broadcasts.list', () => journey.postrider.resend.broadcasts.list('alpha')],
    ['resend.domains.list', () => journey.postrider.resend.domains.list('alpha')],
    ['resend.emails.list', () => journey.postrider.resend.emails.list('alpha', first)],
    ['resend.emails.usage', () => journey.postrider.resend.emails.usage('alpha')],
  ];

  test.each(reads.map(([name]) => name))(
    'alpha asks for %s → the same as before bravo was there',
    async (name) => {
      const read = reads.find(([each]) => each === name)![1];
      expect(shown(await read(alpha))).toEqual(seenAlone[name]);
      expect(seenAlone[name]!.length).toBeGreaterThan(2);
    },
  );

  const named: Array<[string, (of: Twin) => Promise<unknown>]> = [
    ['get', (of) => journey.postrider.get(of.sent, own)],
    ['attachments', (of) => journey.postrider.attachments(of.sent, own)],
    ['attachment', (of) => journey.postrider.attachment(of.sent, 0, own)],
    ['deadLetters.get', (of) => journey.postrider.deadLetters.get(of.failed, own)],
    ['resend.emails.find', (of) => journey.postrider.resend.emails.find('alpha', of.sent)],
    ['resend.emails.files', (of) => journey.postrider.resend.emails.files('alpha', of.sent)],
    ['resend.domains.get', (of) => journey.postrider.resend.domains.get('alpha', of.domain)],
    ['resend.contacts.find', (of) => journey.postrider.resend.contacts.find('alpha', of.contact)],
    ['resend.templates.find', (of) => journey.postrider.resend.templates.find('alpha', of.template)],
    ['resend.segments.find', (of) => journey.postrider.resend.segments.find('alpha', of.segment)],
    ['resend.topics.find', (of) => journey.postrider.resend.topics.find('alpha', of.topic)],
  ];

  test.each(named)("alpha asks %s for bravo's → null, and for its own → there", async (_, read) => {
    expect(await read(bravo).catch(nullIfNotFound)).toBeNull();
    expect(await read(alpha)).not.toBeNull();
  });

  /** Each changes something of alpha's; the last ones take away what the first ones need. */
  const acts: Array<[string, () => Promise<unknown>]> = [
    [
      'a person is changed by externalId',
      () => journey.postrider.recipients.upsert([{ externalId: 'u-1', email: BOTH, name: 'Alpha' }], own),
    ],
    [
      'a person is changed by address',
      () => journey.postrider.recipients.upsert([{ email: 'plain@example.net', name: 'Alpha' }], own),
    ],
    ['a person comes', () => journey.postrider.recipients.reportCheckIn({ externalId: 'u-1' }, own)],
    ['a person is removed', () => journey.postrider.recipients.remove({ externalId: 'u-gone' }, own)],
    [
      'a contact is changed',
      () => journey.postrider.resend.contacts.update('alpha', BOTH, { firstName: 'A' }),
    ],
    [
      'a contact prefers',
      () => journey.postrider.resend.contacts.prefer('alpha', BOTH, { reminders: false }),
    ],
    [
      'a contact leaves a segment',
      () => journey.postrider.resend.contacts.leave('alpha', BOTH, alpha.segment),
    ],
    [
      'a suppression is removed by reason',
      () => journey.postrider.suppressions.remove({ email: 'no@example.net', reason: 'bounce' }, own),
    ],
    [
      'a suppression is removed',
      () => journey.postrider.suppressions.remove({ email: 'no@example.net' }, own),
    ],
    [
      'an entry is removed by address',
      () => journey.postrider.resend.suppressions.remove('alpha', { emails: ['never@example.net'] }),
    ],
    [
      'a rate limit is changed',
      () => journey.postrider.rateLimits.set({ ...own, type: 'welcome', limit: 40, windowSeconds: 86_400 }),
    ],
    [
      'a rate limit begins anew',
      () => journey.postrider.rateLimits.reset({ ...own, type: 'welcome', userId: 'u-3' }),
    ],
    ['a rate limit is removed', () => journey.postrider.rateLimits.remove({ ...own, type: 'verification' })],
    ['a quota is changed', () => journey.postrider.quotas.set({ ...own, period: 'day', limit: 900 })],
    ['a quota is removed', () => journey.postrider.quotas.remove({ ...own, period: 'day' })],
    [
      'a version is switched off',
      () => journey.postrider.templates.setActive({ ...own, type: 'welcome', lang: 'en' }, false, 'test'),
    ],
    [
      'a draft is thrown away',
      () => journey.postrider.templates.discardDraft({ ...own, type: 'welcome', lang: 'en' }),
    ],
    [
      'a draft is saved',
      () =>
        journey.postrider.templates.saveDraft(
          { ...own, type: 'welcome', lang: 'en' },
          { subject: 'Alpha', htmlContent: '<p>Alpha</p>' },
          'test',
        ),
    ],
    [
      'a draft is published',
      () => journey.postrider.templates.publish({ ...own, type: 'welcome', lang: 'en' }, 'test'),
    ],
    [
      'an older version is published',
      () => journey.postrider.templates.rollBack({ ...own, type: 'welcome', lang: 'en' }, 'test'),
    ],
    [
      'a stored template is changed',
      () => journey.postrider.resend.templates.update('alpha', 'twin', { name: 'alpha', alias: 'twin' }),
    ],
    ['a stored template is published', () => journey.postrider.resend.templates.publish('alpha', 'twin')],
    ['a stored template is removed', () => journey.postrider.resend.templates.remove('alpha', 'other')],
    [
      'a broadcast is changed',
      () => journey.postrider.resend.broadcasts.update('alpha', alpha.broadcast, { name: 'alpha' }),
    ],
    [
      'a key gets a name',
      () => journey.postrider.access.keys.rename({ companyId: 'alpha', id: alpha.key } as never, 'alpha'),
    ],
    [
      'an email is put off',
      () => journey.postrider.reschedule(alpha.waiting, new Date(Date.now() + 7_200_000), own),
    ],
    ['an email is cancelled', () => journey.postrider.cancel(alpha.alsoWaiting, own)],
    [
      'dead letters are discarded',
      () => journey.postrider.deadLetters.discard({ emailIds: [alpha.discarded], companyId: 'alpha' }),
    ],
    [
      'dead letters are sent again',
      async () => {
        await journey.postrider.deadLetters.retry({ filter: { companyId: 'alpha' } });
        await expect
          .poll(() => journey.postrider.deadLetters.get(alpha.failed, own))
          .toMatchObject({ status: 'failed' });
      },
    ],
    ['what waits is cancelled', () => journey.postrider.cancelMany({ companyId: 'alpha', status: 'all' })],
    ['a person is erased', () => journey.postrider.erase({ email: BOTH, companyId: 'alpha' })],
    [
      'a person is erased by externalId',
      () => journey.postrider.erase({ externalId: 'u-4', companyId: 'alpha' }),
    ],
    ['a webhook is removed', () => journey.postrider.webhooks.remove(alpha.webhook, own)],
    ['a domain is given up', () => journey.postrider.resend.domains.remove('alpha', alpha.domain, BY)],
  ];

  test.each(acts)("%s at alpha → bravo's rows stay as they are", async (_, act) => {
    const before = { alpha: await rowsOf('alpha', alpha), bravo: await rowsOf('bravo', bravo) };
    await act();
    expect(await rowsOf('bravo', bravo)).toEqual(before.bravo);
    expect(await rowsOf('alpha', alpha)).not.toEqual(before.alpha);
  });

  const foreign: Array<[string, () => Promise<unknown>]> = [
    ['cancel', () => journey.postrider.cancel(bravo.waiting, own)],
    ['reschedule', () => journey.postrider.reschedule(bravo.waiting, new Date(Date.now() + 7_200_000), own)],
    [
      'deadLetters.retry',
      () => journey.postrider.deadLetters.retry({ emailIds: [bravo.failed], companyId: 'alpha' }),
    ],
    [
      'deadLetters.discard',
      () => journey.postrider.deadLetters.discard({ emailIds: [bravo.failed], companyId: 'alpha' }),
    ],
    [
      'access.keys.rename',
      () => journey.postrider.access.keys.rename({ companyId: 'alpha', id: bravo.key } as never, 'alpha'),
    ],
    ['webhooks.change', () => journey.postrider.webhooks.change(bravo.webhook, { status: 'disabled' }, own)],
    ['webhooks.rotate', () => journey.postrider.webhooks.rotate(bravo.webhook, own)],
    [
      'webhooks.replay',
      () =>
        journey.postrider.webhooks.replay(
          bravo.webhook,
          { status: 'all', since: '2026-01-01' } as never,
          own,
        ),
    ],
    ['webhooks.remove', () => journey.postrider.webhooks.remove(bravo.webhook, own)],
    [
      'resend.contacts.join',
      () => journey.postrider.resend.contacts.join('alpha', 'plain@example.net', bravo.segment),
    ],
    [
      'resend.contacts.leave',
      () => journey.postrider.resend.contacts.leave('alpha', 'plain@example.net', bravo.segment),
    ],
    ['resend.segments.rename', () => journey.postrider.resend.segments.rename('alpha', bravo.segment, 'x')],
    ['resend.segments.remove', () => journey.postrider.resend.segments.remove('alpha', bravo.segment)],
    ['resend.topics.remove', () => journey.postrider.resend.topics.remove('alpha', bravo.topic)],
    [
      'resend.contactProperties.remove',
      () => journey.postrider.resend.contactProperties.remove('alpha', bravo.property),
    ],
    [
      'resend.templates.update',
      () => journey.postrider.resend.templates.update('alpha', bravo.template, { name: 'x' }),
    ],
    ['resend.templates.publish', () => journey.postrider.resend.templates.publish('alpha', bravo.template)],
    ['resend.templates.remove', () => journey.postrider.resend.templates.remove('alpha', bravo.template)],
    [
      'resend.broadcasts.update',
      () => journey.postrider.resend.broadcasts.update('alpha', bravo.broadcast, { name: 'x' }),
    ],
    [
      'resend.broadcasts.send',
      () => journey.postrider.resend.broadcasts.send('alpha', bravo.broadcast, null as never),
    ],
    ['resend.broadcasts.cancel', () => journey.postrider.resend.broadcasts.cancel('alpha', bravo.queued)],
    ['resend.broadcasts.remove', () => journey.postrider.resend.broadcasts.remove('alpha', bravo.broadcast)],
    ['resend.domains.verify', () => journey.postrider.resend.domains.verify('alpha', bravo.domain, BY)],
    ['resend.domains.remove', () => journey.postrider.resend.domains.remove('alpha', bravo.domain, BY)],
  ];

  test.each(foreign)(
    "%s of bravo's thing in alpha's name → bravo's rows stay as they are",
    async (_, act) => {
      const before = await rowsOf('bravo', bravo);
      await act().catch(nullIfNotFound);
      expect(await rowsOf('bravo', bravo)).toEqual(before);
    },
  );

  /** Every row that is a tenant's: of it, of an email of it, of its segment or webhook. */
  async function rowsOf(companyId: string, twin: Twin): Promise<Record<string, string>> {
    const tables = await journey.pool.query<{ name: string; columns: string[] }>(
      `select c.relname as name, array_agg(a.attname::text) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'postrider'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and c.relname not like 'email\\_tall%' -- the worker sums up when it likes
         and a.attname in ('tenant', 'email_id', 'segment_id', 'recipient_id', 'delivery_id') group by 1 order by 1`,
    );
    const emails = [twin.sent, twin.failed, twin.discarded, twin.shared, twin.waiting, twin.alsoWaiting];
    const seen: Record<string, string> = {};
    for (const { name, columns } of tables.rows) {
      const whose = columns.includes('tenant')
        ? 'x.tenant = $1'
        : columns.includes('email_id')
          ? 'x.email_id = any ($2::uuid[])'
          : columns.includes('recipient_id')
            ? 'x.recipient_id in (select id from postrider.recipients where tenant = $1)'
            : 'x.delivery_id in (select id from postrider.webhook_deliveries where tenant = $1)';
      const { rows } = await journey.pool.query<{ rows: string }>(
        `with asked as (select $1::text, $2::uuid[])
         select coalesce(json_agg(row_to_json(x) order by row_to_json(x)::text), '[]')::text as rows
         from postrider.${name} x, asked where ${whose}`,
        [companyId, emails],
      );
      seen[name] = rows[0]!.rows;
    }
    const { rows: itself } = await journey.pool.query(
      'select id, name, contact, disabled_at from postrider.tenants where id = $1',
      [companyId],
    );
    seen.tenants = JSON.stringify(itself);
    expect(Object.keys(seen)).toEqual(expect.arrayContaining(['emails', 'email_facts', 'segment_members']));
    return seen;
  }
});

/** Without the moments, some of which are now. */
function shown(value: unknown): string {
  return JSON.stringify(value, null, 1).replace(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"…"');
}

function nullIfNotFound(error: unknown): null {
  expect(error).toMatchObject({ code: expect.stringMatching(/NOT_FOUND|INVALID_PAYLOAD|CONFLICT/) });
  return null;
}
