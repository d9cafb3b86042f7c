import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPostrider } from '../../src/index.js';
import { freePort } from '../services/free-port.js';
import { waitFor } from '../services/index.js';
import { anEmail } from './ground/open-journey.js';
import { caller, NAMES, type Name, openRegions, type RegionJourney } from './ground/open-regions.js';
import { rejected } from './ground/scripted-provider.js';

/** A store per region: where an email is put, where it is found, and where nothing of it may be. */
describe('regions on PostgreSQL', () => {
  let journey: RegionJourney;
  beforeAll(async () => {
    journey = await openRegions();
    await journey.regions.in('deu1').access.tenants.create({
      ...{ companyId: 'yankee', region: 'usa1', fromDomains: ['yankee.example'] },
    });
    await journey.regions.start();
  });
  afterAll(() => journey.close());

  const holds = async (region: Name, emailId: string) =>
    (await journey.pools[region].query('select 1 from postrider.emails where id = $1', [emailId])).rowCount;
  const regionsWith = async (emailId: string) => {
    const found = await Promise.all(NAMES.map(async (name) => ((await holds(name, emailId)) ? [name] : [])));
    return found.flat();
  };
  const keyOf = async (companyId: string) =>
    (await journey.regions.in('deu1').access.keys.create({ companyId, name: 'a key', permission: 'full' }))
      .token;
  const later = () => new Date(Date.now() + 3_600_000).toISOString();

  test('an email with a region, of a company with one, or with neither → is in that store and no other', async () => {
    const { regions } = journey;
    const named = await regions.send(anEmail({ region: 'ind1' }));
    const tenants = await regions.send(anEmail({ companyId: 'yankee' }));
    const both = await regions.send(anEmail({ companyId: 'yankee', region: 'ind1' }));
    const neither = await regions.send(anEmail());
    expect(await regionsWith(named.emailId)).toEqual(['ind1']);
    expect(await regionsWith(tenants.emailId)).toEqual(['usa1']);
    expect(await regionsWith(both.emailId)).toEqual(['ind1']);
    expect(await regionsWith(neither.emailId)).toEqual(['deu1']);
    expect(await regions.find(tenants.emailId)).toBe('usa1');
    await waitFor(async () => (await regions.get(tenants.emailId))?.status === 'sent', {
      ...{ timeoutMs: 10_000, what: 'the worker of that region' },
    });
  });

  test('a region nobody serves → refused by name, at every place one can be said', async () => {
    const { regions, call } = journey;
    const unknown = { code: 'UNKNOWN_REGION', field: 'region', message: expect.stringContaining('fra1') };
    await expect(regions.send(anEmail({ region: 'fra1' }))).rejects.toMatchObject(unknown);
    await expect(regions.in('usa1').send(anEmail({ region: 'ind1' }))).rejects.toMatchObject({
      code: 'UNKNOWN_REGION',
    });
    await expect(regions.send({ ...anEmail(), region: 7 } as never)).rejects.toMatchObject({
      ...{ code: 'INVALID_PAYLOAD', field: 'region' },
    });
    const refused = { status: 400, body: { code: 'UNKNOWN_REGION', field: 'region' } };
    for (const answer of [
      await call('POST', '/v1/email/send', { body: anEmail({ region: 'fra1' }) }),
      await call('POST', '/admin/tenants', { body: { companyId: 'gaul', region: 'fra1' } }),
      await call('GET', '/v1/emails?region=fra1'),
      await call('GET', '/metrics?region=fra1'),
    ])
      expect(answer).toMatchObject(refused);
    expect((await call('GET', '/v1/suppressions?region=all')).body).toMatchObject({ field: 'region' });
    expect((await call('GET', '/v1/emails?region=ind1&region=usa1')).body).toMatchObject({ field: 'region' });
    const alone = createPostrider({ database: journey.urls.deu1, from: { address: 'noreply@example.com' } });
    await expect(alone.send(anEmail({ region: 'deu1' }))).rejects.toMatchObject({ code: 'UNKNOWN_REGION' });
    await alone.stop();
  });

  test('everything done for people of one region → no other database and no log line has their addresses', async () => {
    const { regions, call, provider, lines } = journey;
    const secret = 'keep-me-here';
    const address = (what: string) => `${secret}-${what}@people.example`;
    const key = await keyOf('yankee');
    const from = 'noreply@yankee.example';
    const send = (parts: object) =>
      call('POST', '/v1/email/send', { as: key, body: anEmail({ from, ...parts } as object) });
    provider.script(address('refused'), {
      ...rejected,
      message: `<${address('refused')}> unknown`,
      trace: { stage: 'rcpt', response: `550 <${address('refused')}> unknown` },
    });
    const ids: string[] = [];
    for (const what of ['sent', 'refused']) ids.push((await send({ to: address(what) })).body.emailId);
    await send({ to: address('later'), scheduledAt: later() });
    await send({
      to: address('main'),
      cc: [address('cc')],
      bcc: [address('bcc')],
      replyTo: address('reply'),
    });
    await call('POST', '/v1/email/batch', { as: key, body: [anEmail({ from, to: address('batch') })] });
    const put = await call('POST', '/v1/recipients', {
      ...{ as: key, body: { recipients: [{ externalId: 'person-1', email: address('person') }] } },
    });
    expect(put.status).toBeLessThan(300);
    const listed = await call('POST', '/v1/suppressions', {
      ...{ as: key, body: { suppressions: [{ email: address('listed'), reason: 'manual' }] } },
    });
    expect(listed.status).toBeLessThan(300);
    await call('POST', '/resend/emails', {
      ...{ as: key, body: { from, to: address('resend'), subject: 'x', text: 'x' } },
    });
    await call('POST', '/resend/contacts', { as: key, body: { email: address('contact') } });
    await call('GET', `/v1/emails?recipient=${encodeURIComponent(address('sent'))}`, { as: key });
    await call('GET', `/admin/emails?region=all&recipient=${encodeURIComponent(address('sent'))}`);
    await call('POST', '/v1/suppressions?region=usa1', {
      body: { suppressions: [{ email: address('by-operator'), reason: 'manual' }] },
    });
    await call('POST', '/admin/erasures', { body: { email: address('erased') } });
    for (const id of ids)
      await waitFor(async () => /sent|failed/.test((await regions.get(id))?.status ?? ''), {
        ...{ timeoutMs: 10_000, what: 'an end' },
      });
    const usa = await journey.dump('usa1');
    for (const what of ['sent', 'refused', 'later', 'cc', 'bcc', 'reply', 'batch', 'person', 'listed'])
      expect(usa, what).toContain(address(what));
    for (const what of ['resend', 'contact', 'by-operator']) expect(usa, what).toContain(address(what));
    const hex = Buffer.from(secret).toString('hex');
    for (const other of ['ind1', 'deu1'] as const) {
      const dumped = await journey.dump(other);
      expect(dumped.length).toBeGreaterThan(100);
      expect(dumped).not.toContain(secret);
      expect(dumped).not.toContain(hex);
    }
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => line.includes(secret))).toEqual([]);
  });

  test('a link to an email or a file of it, made in its region → is followed there, without a key', async () => {
    const { call } = journey;
    const follow = (link: string) => {
      const { pathname, search } = new URL(link);
      return call('GET', pathname + search, { as: 'nobody' });
    };
    const key = await keyOf('yankee');
    const mail = {
      from: 'noreply@yankee.example',
      to: 'links@people.example',
      subject: 'x',
      html: '<p>afar</p>',
    };
    const { body } = await call('POST', '/resend/emails', {
      ...{ as: key, body: { ...mail, attachments: [{ filename: 'a.txt', content: 'aGVsbG8=' }] } },
    });
    const shared = await call('POST', `/resend/emails/${body.id}/share`, { as: key, body: {} });
    const page = await follow(shared.body.url);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('afar')]);
    const files = await call('GET', `/resend/emails/${body.id}/attachments`, { as: key });
    const file = await follow(files.body.data[0].download_url);
    expect([file.status, file.body]).toEqual([200, 'hello']);
  });

  test('the rules of a company are at home → they hold in its region too', async () => {
    const key = await keyOf('yankee');
    const foreign = await journey.call('POST', '/v1/email/send', {
      ...{ as: key, body: anEmail({ from: 'boss@elsewhere.example' }) },
    });
    expect(foreign).toMatchObject({ status: 403, body: { code: 'SENDER_NOT_ALLOWED' } });
    const inside = journey.regions.in('usa1');
    await expect(
      inside.send(anEmail({ companyId: 'yankee', from: 'boss@elsewhere.example' })),
    ).rejects.toMatchObject({ code: 'SENDER_NOT_ALLOWED' });
  });

  test('an email known by its id alone → found, followed, put off and cancelled in its region', async () => {
    const { regions, call } = journey;
    const sent = await regions.schedule(anEmail({ region: 'ind1', companyId: 'raj' }), later());
    const path = `/v1/emails/${sent.emailId}`;
    expect((await call('GET', path)).body).toMatchObject({ id: sent.emailId, status: 'scheduled' });
    expect((await call('GET', `${path}?region=usa1`)).status).toBe(404);
    expect((await call('GET', `${path}/events`)).body).toMatchObject([{ type: 'ENQUEUED' }]);
    expect((await call('GET', `${path}/attachments`)).body).toEqual({ attachments: [] });
    const moved = await call('PATCH', path, { body: { scheduledAt: later() } });
    expect(moved.status).toBe(200);
    const stranger = await keyOf('yankee');
    expect((await call('GET', path, { as: stranger })).status).toBe(404);
    expect((await call('POST', `${path}/cancel`, { as: stranger })).status).toBe(404);
    expect((await call('POST', `${path}/cancel`)).body).toMatchObject({ status: 'cancelled' });
    await expect(regions.cancel('01a1def1-9ed6-7000-8fe3-719f10b82e28')).rejects.toMatchObject({
      code: 'EMAIL_NOT_FOUND',
    });
  });

  test('region=all → one list of all, the newest first, without a gap or a repeat across pages', async () => {
    const { regions, call } = journey;
    const expected: string[] = [];
    for (let n = 0; n < 14; n++) {
      const region = NAMES[n % 5 === 0 ? 0 : n % 3]!;
      const { emailId } = await regions.schedule(anEmail({ region, companyId: 'merged' }), later());
      expected.unshift(emailId);
    }
    for (const path of ['/admin/emails', '/v1/emails']) {
      const seen: string[] = [];
      let cursor = '';
      for (let page = 0; page < 10; page++) {
        const { body } = await call('GET', `${path}?region=all&companyId=merged&limit=4${cursor}`);
        expect(body).toMatchObject({ complete: true });
        seen.push(...body.emails.map((email: { id: string }) => email.id));
        for (const { id, region } of body.emails) expect(await regionsWith(id)).toEqual([region]);
        if (body.nextCursor === null) break;
        cursor = `&cursor=${body.nextCursor}`;
      }
      expect(seen).toEqual(expected);
    }
    const one = await call('GET', '/admin/emails?region=ind1&companyId=merged');
    expect(one.body.emails.length).toBeGreaterThan(3);
    expect(one.body.emails.length).toBeLessThan(14);
    const numbered = await call('GET', '/admin/emails?region=all&page=2');
    expect(numbered).toMatchObject({ status: 400, body: { field: 'page' } });
    const stranger = await call('GET', '/v1/emails?region=all', { as: await keyOf('yankee') });
    for (const email of stranger.body.emails) expect(email.companyId).toBe('yankee');
  });

  describe('while one region is away', () => {
    let silent: Server;
    beforeAll(async () => {
      silent = createServer(() => {}).listen(0, '127.0.0.1');
      await waitFor(() => silent.listening, { timeoutMs: 2000, what: 'a silent server' });
    });
    afterAll(() => {
      silent.close();
    });

    test.each([
      ['nobody listens', async () => freePort()],
      ['nobody answers', async () => (silent.address() as { port: number }).port],
    ])('%s → a list without it that says so; what is elsewhere is found', async (_how, portOf) => {
      const usa1 = `postgres://nobody@127.0.0.1:${await portOf()}/nowhere`;
      const partial = journey.another({ regions: { ...journey.urls, usa1 }, home: 'deu1' });
      const call = caller(partial, journey.lines);
      const here = await journey.regions.schedule(anEmail({ region: 'ind1', companyId: 'part' }), later());
      const there = await journey.regions.schedule(anEmail({ region: 'usa1', companyId: 'part' }), later());
      const { status, body } = await call('GET', '/admin/emails?region=all&companyId=part&limit=1');
      expect(status).toBe(200);
      expect(body.complete).toBe(false);
      expect(body.regions).toEqual([
        { region: 'ind1', ok: true },
        { region: 'usa1', ok: false, code: 'STORE_UNAVAILABLE' },
        { region: 'deu1', ok: true },
      ]);
      expect(body.emails).toMatchObject([{ id: here.emailId, region: 'ind1' }]);
      expect((await call('GET', `/v1/emails/${here.emailId}`)).status).toBe(200);
      expect(await call('GET', `/v1/emails/${there.emailId}`)).toMatchObject({
        ...{ status: 503, body: { code: 'STORE_UNAVAILABLE' } },
      });
      const bad = await call('GET', '/admin/emails?region=all&limit=0');
      expect(bad).toMatchObject({ status: 400, body: { field: 'limit' } });
      const ready = await call('GET', '/health/ready');
      expect(ready).toMatchObject({ status: 200, body: { ok: true } });
      expect(ready.body.checks['database usa1'].ok).toBe(false);
    });
  });

  test('addresses of databases crossed → refused before anything is written', async () => {
    const { ind1, usa1, deu1 } = journey.urls;
    const crossed = journey.another({ regions: { ind1: usa1, usa1: ind1, deu1 }, home: 'deu1' });
    await expect(
      crossed.send(anEmail({ region: 'usa1', to: 'crossed@people.example' })),
    ).rejects.toMatchObject({
      code: 'REGION_MISMATCH',
      message: expect.stringContaining('region ind1'),
    });
    for (const name of NAMES) expect(await journey.dump(name)).not.toContain('crossed@people.example');
  });

  test("a caller's transaction → in the region the email names, and refused on another's database", async () => {
    const { regions, pools } = journey;
    const client = await pools.usa1.connect();
    try {
      await client.query('begin');
      await expect(regions.send(anEmail(), { tx: client })).rejects.toMatchObject({
        ...{ code: 'INVALID_PAYLOAD', field: 'region' },
      });
      await expect(regions.send(anEmail({ region: 'ind1' }), { tx: client })).rejects.toMatchObject({
        code: 'REGION_MISMATCH',
      });
      const kept = await regions.send(anEmail({ region: 'usa1' }), { tx: client });
      await client.query('commit');
      expect(await regionsWith(kept.emailId)).toEqual(['usa1']);
    } finally {
      client.release();
    }
  });

  test('several regions with one broker → refused when they are made', () => {
    const engine = { name: 'bullmq' as const };
    expect(() => journey.another({ regions: journey.urls, home: 'deu1', config: { engine } })).toThrow(
      'each needs a broker of its own',
    );
  });

  test('a batch of two regions → refused whole, with the place of the second', async () => {
    const emails = [anEmail({ region: 'ind1' }), anEmail({ region: 'ind1' }), anEmail({ region: 'usa1' })];
    await expect(journey.regions.sendBatch(emails)).rejects.toMatchObject({ field: '[2].region' });
    const sent = await journey.regions.sendBatch(emails.slice(0, 2));
    for (const { emailId } of sent) expect(await regionsWith(emailId)).toEqual(['ind1']);
  });

  test('a link to unsubscribe → leads to the region that keeps the answer', async () => {
    const { regions, call, pools } = journey;
    const to = 'leaver@people.example';
    const { emailId } = await regions.schedule(
      { ...anEmail({ to, companyId: 'yankee', category: 'newsletter' }) },
      later(),
    );
    const { rows } = await pools.usa1.query('select message from postrider.emails where id = $1', [emailId]);
    const link = new URL(rows[0].message.headers['List-Unsubscribe'].slice(1, -1));
    expect(link.searchParams.get('region')).toBe('usa1');
    const at = `${link.pathname}${link.search}`;
    expect((await call('GET', at)).status).toBe(200);
    const left = await call('POST', at, { form: 'action=one' });
    expect(left).toMatchObject({ status: 303, location: expect.stringContaining('region=usa1') });
    expect(await regions.in('usa1').suppressions.list({ companyId: 'yankee' })).toMatchObject({});
    const facts = await pools.usa1.query(`select 1 from postrider.email_facts where email_id = $1`, [
      emailId,
    ]);
    expect(facts.rowCount).toBe(1);
  });

  test('a person erased without naming a region → gone from all of them; one that is away → not complete', async () => {
    const { regions, call } = journey;
    const to = 'forget-me@people.example';
    for (const region of NAMES) await regions.schedule(anEmail({ region, to }), later());
    const usa1 = `postgres://nobody@127.0.0.1:${await freePort()}/nowhere`;
    const partial = journey.another({ regions: { ...journey.urls, usa1 }, home: 'deu1' });
    const half = await partial.erase({ email: to });
    expect(half).toMatchObject({ emails: 2, complete: false });
    expect(half.regions).toContainEqual({ region: 'usa1', ok: false, code: 'STORE_UNAVAILABLE' });
    const { body } = await call('POST', '/admin/erasures', { body: { email: to } });
    expect(body).toMatchObject({ emails: 1, complete: true });
    for (const region of NAMES) expect(await journey.dump(region)).not.toContain(to);
    const wrong = await call('POST', '/admin/erasures', { body: {} });
    expect(wrong.status).toBe(400);
  });

  test('a report about an email of another region → on its timeline', async () => {
    const { regions } = journey;
    const { emailId } = await regions.schedule(anEmail({ region: 'ind1', companyId: 'raj' }), later());
    const said = await journey.call('POST', '/hooks/mail', { form: 'not a report' });
    expect(said.status).toBeGreaterThanOrEqual(400);
    const { httpParts } = await import('../../src/regional-rooms.js');
    const { hooks } = httpParts(regions).rooms;
    const report = {
      ...{ source: 'smtp', id: 'report-1', type: 'BOUNCED', at: new Date(), recipients: [] },
      ...{ about: { emailId }, detail: {}, suppress: null },
    } as unknown as Parameters<NonNullable<typeof hooks>['record']>[0];
    expect(await hooks!.record(report)).toBe('recorded');
    expect(await hooks!.record(report)).toBe('known');
    const events = await regions.timeline(emailId);
    expect(events.map((event) => event.type)).toContain('BOUNCED');
  });
});
