import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awayFromWindowEnd } from '../journey/ground/away-from-window-end.js';
import { type Door, openDoor } from '../journey/ground/open-door.js';
import { anEmail } from '../journey/ground/open-journey.js';

/**
 * Two tenants that know the same people. What one is shown and counted, the ids it names and what a person changes by a
 * link concern that tenant alone.
 */
const BOTH = 'both@example.net';
let door: Door;
let alpha: string;
let bravo: string;

beforeAll(async () => {
  door = await openDoor({
    config: {
      access: { secretKeys: `one:${'A'.repeat(43)}=` },
      unsubscribe: { publicUrl: 'http://localhost', keys: 'the key that signs links of these tests' },
      limits: { enabled: false },
    },
  });
  const { tenants, keys } = door.postrider.access;
  for (const companyId of ['alpha', 'bravo']) await tenants.create({ companyId, name: companyId });
  alpha = (await keys.create({ companyId: 'alpha', name: 'full' })).token;
  bravo = (await keys.create({ companyId: 'bravo', name: 'full' })).token;
  await door.postrider.start();
});
afterAll(() => door.close());

async function made(as: string, path: string, body: object): Promise<string> {
  const answer = await door.call('POST', path, { as, body });
  expect(answer.status, `${path}: ${answer.text}`).toBeLessThan(300);
  return answer.body.id ?? answer.body.emailId;
}

let people = 0;
/** One more of everything that is counted. */
async function addTo(as: string, companyId: string): Promise<void> {
  people += 1;
  await made(as, '/resend/contacts', { email: `contact-${people}@example.net` });
  const segment = await made(as, '/resend/segments', { name: `segment ${people}` });
  await made(as, '/resend/broadcasts', {
    ...{ name: 'x', segment_id: segment, from: 'a@example.com', subject: 'x', html: 'x' },
  });
  const { emailId } = await door.postrider.send(anEmail({ companyId }));
  await expect.poll(async () => (await door.postrider.get(emailId))?.status).toBe('sent');
}

const COUNTS = [
  '/resend/usage',
  '/resend/emails/metrics',
  '/resend/emails/metrics?dimensions=domain',
  '/resend/contacts',
  '/resend/segments',
  '/resend/broadcasts',
  '/resend/emails',
  '/v1/emails',
];

test('bravo has one more of everything → what alpha is shown and counted stays; of its own one more is', async () => {
  const seen = async (as: string) => {
    const texts: Record<string, string> = {};
    for (const path of COUNTS) {
      const { status, text } = await door.call('GET', path, { as });
      expect(status, `${path}: ${text}`).toBe(200);
      texts[path] = text.replace(/"(?:resets_at|start_date|end_date|start|end|from|to)":"2[^"]*"/g, '');
    }
    return texts;
  };
  const usage = async (as: string) => {
    const { body } = await door.call('GET', '/resend/usage', { as });
    return [
      body.emails.daily.used,
      body.emails.monthly.used,
      body.contacts.used,
      body.segments.used,
      body.broadcasts.used,
    ];
  };
  await awayFromWindowEnd();
  await addTo(alpha, 'alpha');
  const before = await seen(alpha);
  const first = await usage(alpha);
  for (let n = 0; n < 3; n++) await addTo(bravo, 'bravo');
  expect(await seen(alpha)).toEqual(before);
  expect(await usage(bravo)).toEqual([3, 3, 3, 3, 3]);
  await addTo(alpha, 'alpha');
  expect(await usage(alpha)).toEqual(first.map((count: number) => count + 1));
  const after = await seen(alpha);
  for (const path of COUNTS) expect([path, after[path]]).not.toEqual([path, before[path]]);
});

describe("a person of bravo's, whom alpha knows by the same address", () => {
  let theirs: string;
  beforeAll(async () => {
    for (const companyId of ['alpha', 'bravo'])
      await door.postrider.recipients.upsert(
        [{ email: BOTH, preferences: { reminders: true, weeklyFocus: true } }],
        { companyId },
      );
    const { rows } = await door.pool.query(
      "select id from postrider.recipients where tenant = 'bravo' and email = $1",
      [BOTH],
    );
    theirs = rows[0].id;
  });

  test.each([
    ['POST /v1/email/send', (recipient: object) => ({ to: BOTH, subject: 'x', text: 'x', recipient })],
    ['POST /v1/email/batch', (recipient: object) => [{ to: BOTH, subject: 'x', text: 'x', recipient }]],
  ])('%s with its id → refused as nobody, nothing accepted', async (route, body) => {
    const [, path] = route.split(' ') as [string, string];
    const count = async () =>
      (await door.pool.query('select count(*)::int as n from postrider.emails')).rows[0].n;
    const before = await count();
    const answer = await door.call('POST', path, {
      as: alpha,
      body: body({ recipientId: theirs, email: BOTH }),
    });
    expect([answer.status >= 400, answer.text]).toEqual([
      true,
      expect.stringContaining('RECIPIENT_NOT_FOUND'),
    ]);
    expect(await count()).toBe(before);
    await expect(
      door.postrider.send({
        ...anEmail({ to: BOTH, companyId: 'alpha' }),
        recipient: { recipientId: theirs, email: BOTH },
      }),
    ).rejects.toMatchObject({ code: 'RECIPIENT_NOT_FOUND' });
    const own = await door.call('POST', path, {
      as: bravo,
      body: body({ recipientId: theirs, email: BOTH }),
    });
    expect(own.status, own.text).toBeLessThan(300);
  });

  test("put into a segment of bravo's by alpha, whichever way → refused, and nobody is in it", async () => {
    const segment = await made(bravo, '/resend/segments', { name: 'theirs' });
    const own = await made(alpha, '/resend/segments', { name: 'own' });
    const mine = await made(alpha, '/resend/contacts', { email: 'mine@example.net' });
    const tries: Array<[string, object]> = [
      ['/resend/contacts', { email: 'new-1@example.net', segments: [{ id: segment }] }],
      ['/resend/contacts', { email: 'new-2@example.net', segments: [{ id: own }, { id: segment }] }],
      [`/resend/contacts/${mine}/segments/${segment}`, {}],
      [`/resend/audiences/${segment}/contacts`, { email: 'new-3@example.net' }],
    ];
    for (const [path, body] of tries) {
      const answer = await door.call('POST', path, { as: alpha, body });
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const { rows } = await door.pool.query('select 1 from postrider.segment_members where segment_id = $1', [
      segment,
    ]);
    expect(rows).toEqual([]);
    const joined = await door.call('POST', `/resend/contacts/${mine}/segments/${own}`, {
      as: alpha,
      body: {},
    });
    expect(joined.status, joined.text).toBeLessThan(300);
  });

  test("leaves alpha's reminders by one click, and comes back → bravo's idea of them stays", async () => {
    const preferences = async () => {
      const { rows } = await door.pool.query(
        'select tenant, preferences from postrider.recipients where email = $1 order by tenant',
        [BOTH],
      );
      return Object.fromEntries(rows.map((row) => [row.tenant, row.preferences]));
    };
    const all = { reminders: true, weeklyFocus: true };
    const email = await door.postrider.send({
      ...{ companyId: 'alpha', to: BOTH, type: 'checkin_reminder', data: { streakDays: 3 } },
    });
    const { rows } = await door.pool.query('select message from postrider.emails where id = $1', [
      email.emailId,
    ]);
    const link = new URL(rows[0].message.headers['List-Unsubscribe'].slice(1, -1));
    const answer = await door.call('POST', link.pathname, {
      as: null,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      raw: 'List-Unsubscribe=One-Click',
    });
    expect(answer.status, answer.text).toBe(200);
    expect(await preferences()).toEqual({ alpha: { ...all, reminders: false }, bravo: all });
    const refused = { to: BOTH, category: 'reminders' };
    expect((await door.postrider.send({ ...anEmail(refused), companyId: 'alpha' })).status).toBe(
      'suppressed',
    );
    expect((await door.postrider.send({ ...anEmail(refused), companyId: 'bravo' })).status).toBe('pending');
  });
});

describe("an email of bravo's that waits", () => {
  const fresh = async () => {
    const scheduledAt = new Date(Date.now() + 3_600_000);
    return (await door.postrider.schedule(anEmail({ companyId: 'bravo' }), scheduledAt)).emailId;
  };
  const row = async (id: string) =>
    (await door.pool.query('select row_to_json(q) as row from postrider.email_queue q where id = $1', [id]))
      .rows;
  const at = new Date(Date.now() + 7_200_000).toISOString();

  test.each([
    ['POST', '/v1/emails/ID/cancel', {}],
    ['PATCH', '/v1/emails/ID', { scheduledAt: at }],
    ['POST', '/resend/emails/ID/cancel', {}],
    ['PATCH', '/resend/emails/ID', { scheduled_at: at }],
  ])('%s %s by alpha → not found, and it waits as before; by bravo → done', async (method, path, body) => {
    const id = await fresh();
    const before = await row(id);
    expect(before).toHaveLength(1);
    const refused = await door.call(method, path.replace('ID', id), { as: alpha, body });
    expect([refused.status, await row(id)]).toEqual([404, before]);
    const own = await door.call(method, path.replace('ID', id), { as: bravo, body });
    expect(own.status, own.text).toBeLessThan(300);
    expect(await row(id)).not.toEqual(before);
  });

  test("cancelled by the library in alpha's name → not found, and it waits as before", async () => {
    const id = await fresh();
    const before = await row(id);
    const refused = door.postrider.cancel(id, { companyId: 'alpha' });
    await expect(refused).rejects.toMatchObject({ code: 'EMAIL_NOT_FOUND' });
    expect(await row(id)).toEqual(before);
  });
});
