import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/doors/http/openapi/create-document.js';
import { mayUse, ROUTE_ACCESS } from '../../src/doors/http/route-access.js';
import { signUserToken } from '../../src/index.js';
import { type Answer, type Door, openDoor, ROOT } from '../journey/ground/open-door.js';
import { RESEND_BODIES } from './resend-bodies.js';

/**
 * Every route of the API against every kind of caller. What a caller may reach is said here once more, apart from the
 * table the door uses; what belongs to the company bravo is compared, row by row, before and after alpha's keys have
 * tried every route on it, and nothing of it may stand in any answer. A route that is new has to say here how to
 * address something of bravo's.
 */
const MARK = 'bravo-secret';
const USER_KEY = 'k'.repeat(32);
const routes = Object.keys(ROUTE_ACCESS).filter((route) => ROUTE_ACCESS[route]!.right !== 'local');
const under = (...prefixes: string[]) =>
  routes.filter((route) => prefixes.some((prefix) => route.split(' ')[1]!.startsWith(prefix)));
const isRead = (route: string) => route.startsWith('GET ');

/** Without any identity these answer, and no other. */
const PUBLIC = [
  ...under('/health/', '/u/', '/resend/attachments/', '/resend/shared/'),
  ...['GET /openapi.json', 'GET /docs', 'GET /', ...under('/dashboard/')],
  'POST /hooks/ses',
  'POST /hooks/resend',
  'POST /auth/sign-in',
  'POST /auth/code',
  'POST /auth/code/resend',
];
const OF_SESSIONS = ['POST /auth/sign-out', 'GET /auth/me'];
const OF_USERS = under('/api/profile/');
const HANDS_IN = [
  'POST /v1/email/send',
  'POST /v1/email/batch',
  'POST /resend/emails',
  'POST /resend/emails/batch',
];
const isResend = (route: string) => route.includes(' /resend/');
const WHO_MAY = under(
  '/admin/tenants',
  '/admin/keys',
  '/admin/admins',
  '/admin/audit',
  '/admin/erasures',
  '/admin/secrets',
);

/** What each kind of caller must be refused. */
const CLOSED: Record<string, string[]> = {
  'a user': routes.filter((route) => !PUBLIC.includes(route) && !OF_USERS.includes(route)),
  'a sending key': routes.filter((route) => !PUBLIC.includes(route) && !HANDS_IN.includes(route)),
  'a full key': [...under('/admin/'), ...OF_SESSIONS, ...OF_USERS, 'GET /metrics'],
  'a viewer': [
    ...routes.filter((route) => !isRead(route) && !PUBLIC.includes(route) && route !== 'POST /auth/sign-out'),
    ...['GET /admin/admins', 'GET /admin/audit', 'GET /resend/webhooks/:id', ...OF_USERS],
  ],
  'an operator': [
    ...routes.filter((route) => !isRead(route) && /\/resend\/(?:api-keys|domains)/.test(route)),
    ...WHO_MAY.filter((route) => !['GET /admin/tenants', 'GET /admin/keys'].includes(route)),
    ...OF_USERS,
  ],
  'an admin': ['POST /admin/admins/:id/code', 'POST /admin/secrets/rotate', ...OF_USERS],
  root: [...OF_SESSIONS, ...OF_USERS],
};

describe('every route', () => {
  let door: Door;
  let full: string;
  let sending: string;
  /** Whom the newest email of bravo's is to. */
  let reported = '';
  /** What stands for a parameter: something of bravo's wherever there is such a thing. */
  let stands: Record<string, string>;

  beforeAll(async () => {
    door = await openDoor({
      config: {
        access: { userTokenKey: USER_KEY, secretKeys: `one:${'A'.repeat(43)}=` },
      },
    });
    const { tenants, keys, admins } = door.postrider.access;
    for (const companyId of ['alpha', 'bravo']) await tenants.create({ companyId, name: MARK });
    full = (await keys.create({ companyId: 'alpha', name: 'full' })).token;
    sending = (await keys.create({ companyId: 'alpha', name: 'sending', permission: 'sending' })).token;
    const theirs = await keys.create({ companyId: 'bravo', name: MARK });
    for (const role of ['admin', 'operator', 'viewer'])
      await admins.create({ email: `${role}@example.com`, role, password: 'correct horse battery' });
    const webhook = await webhookOfBravo();
    const emailId = await emailOfBravo();
    await personOfBravo();
    const { domains, templates, suppressions, contacts, segments, topics, broadcasts, contactProperties } =
      door.postrider.resend;
    const domain = await domains.create(
      'bravo',
      { name: `${MARK}.example.com` },
      { kind: 'library', name: 'test' },
    );
    const template = await templates.create('bravo', { name: MARK, alias: MARK, html: MARK });
    const entry = await suppressions.find('bravo', 'both@example.net');
    const { deliveries } = await door.postrider.webhooks.deliveries(webhook.id);
    const deliveryId = deliveries[0]!.id;
    const segment = await segments.create('bravo', MARK);
    const topic = await topics.create('bravo', { name: MARK, description: null, optIn: true });
    const property = await contactProperties.create('bravo', { key: MARK, type: 'string', fallback: MARK });
    const contact = await contacts.find('bravo', `${MARK}@example.net`);
    await contacts.join('bravo', contact!.id, segment.id);
    const broadcast = await broadcasts.create('bravo', {
      ...{ name: MARK, segmentId: segment.id, from: 'a@example.com', subject: MARK, html: MARK },
    });
    stands = {
      ':broadcast': broadcast.id,
      ':segment': segment.id,
      ':topic': topic.id,
      ':property': property.id,
      ':contact': contact!.id,
      'domains/:id': domain.id,
      ':template': template,
      ':entry': entry!.id,
      'api-keys/:id': theirs.id,
      'emails/:id': emailId,
      'dead-letters/:id': emailId,
      'keys/:id': theirs.id,
      'admins/:id': 'nobody@example.com',
      'suppressions/:email': 'both@example.net',
      'u/:token': 'none',
      'attachments/:token': 'none',
      'shared/:token': 'none',
      ':attachment': emailId,
      'recipients/:person': 'external:both-have-this',
      'webhooks/:id': webhook.id,
      'deliveries/:delivery': deliveryId,
      'events/:event': deliveryId,
      'tenants/:companyId': 'bravo',
      'quotas/:companyId': 'bravo',
      ':index': '0',
      ':period': 'day',
      ':type': 'welcome',
      ':lang': 'en',
      ':name': 'nothing',
    };
  });
  afterAll(() => door.close());

  const webhookOfBravo = () =>
    door.postrider.webhooks.create({
      companyId: 'bravo',
      url: `https://${MARK}.example.net/`,
      description: MARK,
    });

  async function emailOfBravo(): Promise<string> {
    const { emailId } = await door.postrider.send({
      companyId: 'bravo',
      // A fresh one: a report about bravo's earlier emails suppresses theirs.
      to: recipientOfBravo(),
      subject: MARK,
      text: MARK,
      attachments: [{ filename: `${MARK}.txt`, content: Buffer.from(MARK).toString('base64') }],
      userId: MARK,
      scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const { rows } = await door.pool.query('select 1 from postrider.email_queue where id = $1', [emailId]);
    expect(rows, 'an email of bravo that waits, so that there is something to cancel').toHaveLength(1);
    return emailId;
  }

  let emailsOfBravo = 0;
  const recipientOfBravo = () => {
    emailsOfBravo += 1;
    reported = `${MARK}-${emailsOfBravo}@example.net`;
    return reported;
  };

  async function personOfBravo(): Promise<void> {
    const person = { externalId: 'both-have-this', email: `${MARK}@example.net`, name: MARK };
    await door.postrider.recipients.upsert([person], { companyId: 'bravo' });
    await door.postrider.suppressions.add(
      [
        { email: 'both@example.net', reason: 'manual', note: MARK },
        { email: `${MARK}@example.org`, reason: 'manual' },
      ],
      { companyId: 'bravo' },
    );
  }

  function pathOf(route: string): string {
    const filled = route.split(' ')[1]!.replace(/(\w[\w-]*\/)?(:\w+)/g, (_all, noun = '', name) => {
      const known = stands[noun + name] ?? stands[name];
      if (known === undefined) throw new Error(`Say in this test what stands for ${noun}${name} of bravo's.`);
      return noun + known;
    });
    return filled;
  }

  /** Bodies that are right but for whose they are; what is not here is asked with none that could be. */
  const BODIES: Record<string, object> = {
    ...RESEND_BODIES,
    'POST /v1/email/send': { to: 'x@example.net', subject: 'x', text: 'x' },
    'POST /v1/email/batch': [{ to: 'x@example.net', subject: 'x', text: 'x' }],
    'PATCH /v1/emails/:id': { scheduledAt: new Date(Date.now() + 7_200_000).toISOString() },
    'POST /v1/emails/:id/cancel': {},
    'POST /v1/recipients': {
      recipients: [{ externalId: 'both-have-this', email: 'alpha@example.net', name: 'alpha' }],
    },
    'DELETE /v1/recipients/:person': {},
    'POST /v1/suppressions': { suppressions: [{ email: 'both@example.net', reason: 'bounce' }] },
    'POST /v1/suppressions/import': {},
    'DELETE /v1/suppressions/:email': {},
    'POST /hooks/bounces': {},
    'POST /v1/webhooks': { url: 'https://example.net/' },
    'PATCH /v1/webhooks/:id': { status: 'disabled' },
    'DELETE /v1/webhooks/:id': {},
    'POST /v1/webhooks/:id/rotate': {},
    'POST /v1/webhooks/:id/replay': { since: '2026-01-01T00:00:00Z', status: 'all' },
    'POST /v1/webhooks/:id/deliveries/:delivery/replay': {},
    'POST /v1/recipients/:person/check-ins': {},
    'POST /v1/recipients/:person/activities': {},
  };

  async function session(role: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await door.pool.query(
      `insert into postrider.admin_sessions (token_hash, admin_id, expires_at)
       select $1, id, now() + interval '1 hour' from postrider.admins where email = $2`,
      [createHash('sha256').update(token).digest('hex'), `${role}@example.com`],
    );
    return token;
  }

  async function ask(
    route: string,
    who: string,
    { query = '', body }: { query?: string; body?: object } = {},
  ): Promise<Answer> {
    const [method = ''] = route.split(' ');
    const as =
      { 'a full key': full, 'a sending key': sending, root: ROOT, 'a user': userToken() }[who] ?? null;
    const role = / (viewer|operator|admin)$/.exec(who)?.[1];
    const headers: Record<string, string> = { 'Sec-Fetch-Site': 'same-origin' };
    if (role) headers.Cookie = `postrider_session=${await session(role)}`;
    const carries = method !== 'GET' && method !== 'DELETE';
    if (route.endsWith('/import')) headers['Content-Type'] = 'text/csv';
    if (route.endsWith('/bounces')) headers['Content-Type'] = 'message/rfc822';
    return door.call(method, pathOf(route) + query, {
      ...{ as, headers },
      ...(carries && { body: body ?? {} }),
      ...(route.endsWith('/import') && { raw: 'email,reason\nboth@example.net,complaint\n' }),
      ...(route.endsWith('/bounces') && { raw: reportAbout(stands['emails/:id']!, reported) }),
    });
  }
  const userToken = () => signUserToken({ userId: MARK, companyId: 'alpha' }, USER_KEY);

  test.each(routes.filter((route) => !PUBLIC.includes(route)))('%s without identity → 401', async (route) => {
    const answer = await ask(route, 'nobody');
    expect([answer.status, answer.body?.code ?? answer.body?.name]).toEqual([
      401,
      isResend(route) ? 'missing_api_key' : 'UNAUTHORIZED',
    ]);
    const expired = signUserToken({ userId: 'u', companyId: 'alpha', expiresInSeconds: 1 }, 'x'.repeat(32));
    for (const as of [`re_${'x'.repeat(43)}`, expired]) {
      const refused = await door.call(route.split(' ')[0]!, pathOf(route), { as });
      expect(refused.status).toBe(isResend(route) ? 403 : 401);
    }
  });

  describe.each(Object.keys(CLOSED))('%s', (who) => {
    test('every route → 403 where it is closed to the caller, and nowhere else', async () => {
      const wrong: string[] = [];
      for (const route of routes.filter((one) => !PUBLIC.includes(one))) {
        const { status, text, body } = await ask(route, who);
        const closed = CLOSED[who]!.includes(route);
        // Resend's clients know a key that may only send by 401.
        const refused = status === 403 || (isResend(route) && body?.name === 'restricted_api_key');
        if (closed !== refused || (status === 401 && !refused) || status >= 500)
          wrong.push(`${route}: ${status} ${text.slice(0, 120)}`);
      }
      expect(wrong).toEqual([]);
    });
  });

  /** Those that read JSON; Resend's clients send a body with every request, and where none is read it does not count. */
  const READS_JSON = [
    ...Object.keys(OPERATIONS).filter((route) => OPERATIONS[route]!.body !== undefined),
    ...Object.keys(RESEND_BODIES).filter((route) => Object.keys(RESEND_BODIES[route]!).length > 0),
  ].filter((route) => !/import$|bounces$|ses$|hooks\/resend$|auth\/code$/.test(route));

  test.each(READS_JSON)(
    '%s with a body that is null, a text or a number → refused, nothing changes',
    async (route) => {
      const [method = ''] = route.split(' ');
      const as = OF_SESSIONS.includes(route) ? null : ROOT;
      const cookie = `postrider_session=${await session('admin')}; postrider_code=${'c'.repeat(43)}`;
      const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };
      const before = await ofBravo();
      for (const raw of ['null', '"x"', '1', 'true', '[null]', '["x"]']) {
        const answer = await door.call(method, pathOf(route), {
          ...{ as, raw, headers: { ...headers, ...(as === null && { Cookie: cookie }) } },
        });
        const { code, name } = answer.body ?? {};
        expect([raw, answer.status, code ?? name, answer.text]).toEqual([
          ...[
            raw,
            expect.any(Number),
            expect.stringMatching(/^(?:INVALID_|validation_error|missing_|invalid_)/),
          ],
          answer.text,
        ]);
        expect(answer.status).toBeLessThan(500);
      }
      expect(await ofBravo()).toEqual(before);
    },
  );

  /** Every row of every table that is bravo's, or about an email of bravo's. */
  async function ofBravo(): Promise<Record<string, string>> {
    const { rows } = await door.pool.query<{ name: string; column: string }>(
      `select c.relname as name, min(a.attname) as column
       from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'postrider'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attname in ('tenant', 'email_id') group by 1 order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['emails', 'recipients', 'api_keys']),
    );
    const seen: Record<string, string> = {};
    for (const { name, column } of rows) {
      if (name === 'audit_log') continue; // what was tried on bravo's is written there
      const whose = column === 'tenant' ? `x.tenant = 'bravo'` : `x.email_id = '${stands['emails/:id']}'`;
      const found = await door.pool.query(
        `select coalesce(json_agg(row_to_json(x) order by row_to_json(x)::text), '[]')::text as rows
         from postrider.${name} x where ${whose}`,
      );
      seen[name] = found.rows[0].rows;
    }
    return seen;
  }

  const reach = { 'a full key': 'full', 'a sending key': 'sending' } as const;
  const tries = Object.entries(reach).flatMap(([who, permission]) =>
    routes
      .filter((route) =>
        mayUse(
          { kind: 'key', keyId: '', name: '', companyId: 'alpha', permission, fromDomains: null },
          ROUTE_ACCESS[route]!.right,
        ),
      )
      .filter((route) => !PUBLIC.includes(route))
      .map((route) => [who, route] as const),
  );

  test.each(tries)("%s of alpha, %s on bravo's → sees nothing, changes nothing", async (who, route) => {
    if (!isRead(route)) expect(Object.keys(BODIES), 'say in this test what its body is').toContain(route);
    // Fresh ones, whatever operators above have cancelled and removed.
    await personOfBravo();
    for (const { id } of await door.postrider.webhooks.list()) await door.postrider.webhooks.remove(id);
    stands['webhooks/:id'] = (await webhookOfBravo()).id;
    stands['emails/:id'] = await emailOfBravo();
    const told = await door.postrider.webhooks.deliveries(stands['webhooks/:id']);
    stands['deliveries/:delivery'] = told.deliveries[0]!.id;
    stands['events/:event'] = told.deliveries[0]!.id;
    const before = await ofBravo();
    const body = BODIES[route] ?? {};
    const forBravo = Array.isArray(body)
      ? body.map((one: object) => ({ ...one, companyId: 'bravo' }))
      : { ...body, companyId: 'bravo' };
    const variants = [
      {},
      { body },
      { query: '?companyId=bravo' },
      { body: forBravo },
      { query: '?companyId=bravo', body: forBravo },
    ];
    for (const variant of variants) {
      const answer = await ask(route, who, variant);
      expect(answer.status, answer.text).toBeLessThan(500);
      expect(answer.text, JSON.stringify(variant)).not.toContain(MARK);
    }
    expect(await ofBravo()).toEqual(before);
  });

  describe("a full key of alpha names something of bravo's", () => {
    const as = () => ({ as: full });
    const made = async (path: string, body: object): Promise<string> => {
      const answer = await door.call('POST', path, { ...as(), body });
      expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
      return answer.body.id ?? answer.body.emailId;
    };
    const mail = { from: 'a@example.com', to: 'x@example.net', subject: 'x' };
    /** What is alpha's own, by what stands for it in the paths below. */
    let own: Record<string, string>;
    beforeAll(async () => {
      own = {
        OWN_BROADCAST: await made('/resend/broadcasts', {
          name: 'x',
          from: mail.from,
          subject: 'x',
          html: 'x',
        }),
        OWN_CONTACT: await made('/resend/contacts', { email: 'own@example.net' }),
        OWN_SEGMENT: await made('/resend/segments', { name: 'own' }),
        OWN_WEBHOOK: await made('/v1/webhooks', { url: 'https://own.example.net/' }),
        OWN_EMAIL: await made('/v1/email/send', { ...mail, text: 'x' }),
      };
      await door.postrider.resend.templates.publish('bravo', stands[':template']!);
      const { deliveries } = await door.postrider.webhooks.deliveries(
        (await door.postrider.webhooks.list({ companyId: 'bravo' }))[0]!.id,
      );
      stands['deliveries/:delivery'] = deliveries[0]?.id ?? stands['deliveries/:delivery']!;
    });

    const tries: Array<[string, (of: Record<string, string>) => object | undefined]> = [
      [
        'POST /v1/email/send',
        (of) => ({ ...mail, text: 'x', recipient: { recipientId: of[':contact'], email: mail.to } }),
      ],
      [
        'POST /v1/email/batch',
        (of) => [{ ...mail, text: 'x', recipient: { recipientId: of[':contact'], email: mail.to } }],
      ],
      ['POST /resend/emails', (of) => ({ from: mail.from, to: mail.to, template: { id: of[':template'] } })],
      ['POST /resend/emails', () => ({ from: mail.from, to: mail.to, template: { id: MARK } })],
      ['POST /resend/emails', (of) => ({ ...mail, text: 'x', topic_id: of[':topic'] })],
      ['POST /resend/emails/batch', (of) => [{ ...mail, text: 'x', topic_id: of[':topic'] }]],
      ['POST /resend/broadcasts', (of) => ({ name: 'x', segment_id: of[':segment'] })],
      ['POST /resend/broadcasts', (of) => ({ name: 'x', audience_id: of[':segment'] })],
      ['POST /resend/broadcasts', (of) => ({ name: 'x', topic_id: of[':topic'] })],
      ['PATCH /resend/broadcasts/OWN_BROADCAST', (of) => ({ segment_id: of[':segment'] })],
      ['PATCH /resend/broadcasts/OWN_BROADCAST', (of) => ({ audience_id: of[':segment'] })],
      ['PATCH /resend/broadcasts/OWN_BROADCAST', (of) => ({ topic_id: of[':topic'] })],
      ['POST /resend/contacts', (of) => ({ email: 'new@example.net', segments: [{ id: of[':segment'] }] })],
      [
        'POST /resend/contacts',
        (of) => ({ email: 'new@example.net', topics: [{ id: of[':topic'], subscription: 'opt_in' }] }),
      ],
      ['POST /resend/audiences/:segment/contacts', () => ({ email: 'new@example.net' })],
      ['POST /resend/contacts/OWN_CONTACT/segments/:segment', () => ({})],
      ['POST /resend/contacts/:contact/segments/OWN_SEGMENT', () => ({})],
      ['DELETE /resend/contacts/OWN_CONTACT/segments/:segment', () => undefined],
      ['PATCH /resend/contacts/OWN_CONTACT/topics', (of) => [{ id: of[':topic'], subscription: 'opt_in' }]],
      ['GET /resend/audiences/:segment/contacts', () => undefined],
      ['POST /resend/api-keys', (of) => ({ name: 'x', domain_id: of['domains/:id'] })],
      ['POST /resend/suppressions/batch/remove', (of) => ({ ids: [of[':entry']] })],
      [
        'POST /v1/suppressions',
        (of) => ({ suppressions: [{ email: 's@example.net', emailId: of['emails/:id'] }] }),
      ],
      ['POST /v1/webhooks/OWN_WEBHOOK/deliveries/:delivery/replay', () => ({})],
      ['GET /v1/webhooks/OWN_WEBHOOK/deliveries/:delivery', () => undefined],
      ['POST /resend/webhooks/OWN_WEBHOOK/events/:delivery/replay', () => ({})],
      ['GET /resend/webhooks/OWN_WEBHOOK/events/:delivery', () => undefined],
      ['GET /resend/webhooks/OWN_WEBHOOK/events/:delivery/attempts', () => undefined],
      ['GET /resend/emails/OWN_EMAIL/attachments/:attachment', () => undefined],
      ['GET /resend/emails/metrics?broadcast_id=:broadcast&dimensions=broadcast', () => undefined],
      ['GET /resend/emails/metrics?domain_id=:domain&dimensions=domain', () => undefined],
      ['GET /resend/emails/metrics?email_id=:email&dimensions=email', () => undefined],
    ];
    const ids = (): Record<string, string> => ({
      ...stands,
      ':email': stands['emails/:id']!,
      ':domain': stands['domains/:id']!,
      ':delivery': stands['deliveries/:delivery']!,
      ...own,
    });

    test.each(tries)('%s %# → nothing of it is seen, kept or changed', async (route, bodyOf) => {
      const [method = '', pattern = ''] = route.split(' ');
      const known = ids();
      const path = pattern.replace(/OWN_[A-Z]+|:[a-z]+/g, (name) => known[name]!);
      const before = await ofBravo();
      const body = bodyOf(known);
      const answer = await door.call(method, path, { ...as(), ...(body !== undefined && { body }) });
      expect(answer.text).not.toContain(MARK);
      expect(await ofBravo()).toEqual(before);
      const theirs = Object.entries(known).filter(([name]) => name.startsWith(':') || name.includes('/:id'));
      const kept = await ofAlpha();
      for (const [name, id] of theirs.filter(([, value]) => /^[0-9a-f]{8}-/.test(value)))
        expect(kept.includes(id), `${name} of bravo's in a row of alpha's`).toBe(false);
      // A list is empty, a count nothing; all else is refused.
      const empty = /"data":\[\]|"totals"|"deleted":false/.test(answer.text);
      expect([answer.status, empty || answer.status >= 400, answer.text]).toEqual([
        ...[answer.status, true, answer.text],
      ]);
    });

    /** Every row that is alpha's, as text. */
    async function ofAlpha(): Promise<string> {
      const { rows } = await door.pool.query<{ name: string }>(
        `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
         where c.relnamespace = 'postrider'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
           and a.attname = 'tenant' and c.relname <> 'audit_log'`,
      );
      const texts = await Promise.all(
        rows.map(async ({ name }) => {
          const found = await door.pool.query(
            `select coalesce(string_agg(row_to_json(x)::text, ' '), '') as text from postrider.${name} x where tenant = 'alpha'`,
          );
          return found.rows[0].text as string;
        }),
      );
      const members = await door.pool.query(
        `select coalesce(string_agg(row_to_json(m)::text, ' '), '') as text from postrider.segment_members m
         join postrider.recipients r on r.id = m.recipient_id where r.tenant = 'alpha'`,
      );
      return [...texts, members.rows[0].text].join(' ');
    }
  });
});

/** A bounce that came by mail. */
function reportAbout(emailId: string, recipient: string): string {
  return [
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    ...['', '--b', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
    ...[`Final-Recipient: rfc822; ${recipient}`, 'Action: failed', 'Status: 5.1.1', ''],
    ...[
      '--b',
      'Content-Type: text/rfc822-headers',
      '',
      `Message-ID: <${emailId}@example.com>`,
      '',
      '--b--',
      '',
    ],
  ].join('\r\n');
}
