import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { type Postrider, PostriderError } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

let journey: Journey;
beforeAll(async () => {
  journey = await openJourney();
});
afterAll(() => journey.close());

describe.each(['PostgreSQL', 'PGlite'])('recipients on %s', (store) => {
  let postrider: Postrider;
  let close = async () => {};
  beforeAll(async () => {
    if (store === 'PostgreSQL') postrider = journey.postrider;
    else ({ postrider, close } = await openEmbedded());
  });
  afterAll(() => close());

  test('everything said of a person → is there when asked for by any of their names', async () => {
    const person = {
      externalId: 'u-1',
      email: 'Ada@Example.com',
      name: 'Ada',
      language: 'de',
      timeZone: 'Europe/Berlin',
      status: 'active',
      accountType: 'trial',
      preferences: { weeklyFocus: true, reminders: false },
      attributes: { plan: 'pro', seats: 3 },
      reminderFrequency: 'daily' as const,
      lastActiveAt: '2026-01-02T03:04:05Z',
    };
    const [made] = await postrider.recipients.upsert([person], { companyId: 'acme' });
    expect(made?.created).toBe(true);
    const shown = await postrider.recipients.get({ externalId: 'u-1' }, { companyId: 'acme' });
    expect(shown).toMatchObject({
      ...person,
      recipientId: made!.recipientId,
      companyId: 'acme',
      lastActiveAt: '2026-01-02T03:04:05.000Z',
      streakDays: 0,
      lastReminderSentAt: null,
    });
    expect(await postrider.recipients.get({ email: 'ada@example.com' }, { companyId: 'acme' })).toEqual(
      shown,
    );
    expect(await postrider.recipients.get({ externalId: 'u-1' }, { companyId: 'other' })).toBeNull();
    expect(
      await postrider.recipients.get({ recipientId: made!.recipientId }, { companyId: 'other' }),
    ).toBeNull();
  });

  test('a second upsert → changes what is given, keeps the rest, removes keys given as null', async () => {
    const company = { companyId: 'partial' };
    await postrider.recipients.upsert(
      [{ externalId: 'p', email: 'p@example.com', name: 'P', preferences: { a: true, b: true } }],
      company,
    );
    const [again] = await postrider.recipients.upsert(
      [{ externalId: 'p', email: 'new@example.com', preferences: { b: false, a: null }, language: null }],
      company,
    );
    expect(again?.created).toBe(false);
    expect(await postrider.recipients.get({ externalId: 'p' }, company)).toMatchObject({
      email: 'new@example.com',
      name: 'P',
      preferences: { b: false },
    });
  });

  test('known by email first, by external id later → one person who keeps what is known', async () => {
    const company = { companyId: 'adopting' };
    const [first] = await postrider.recipients.upsert([{ email: 'Bo@example.com', name: 'Bo' }], company);
    const [later] = await postrider.recipients.upsert(
      [
        { externalId: 'b-1', email: 'bo@example.com' },
        { externalId: 'b-2', email: 'bo@example.com' },
      ],
      company,
    );
    expect(later).toEqual({ recipientId: first!.recipientId, created: false });
    const { recipients } = await postrider.recipients.list(company);
    expect(recipients.map((one) => [one.externalId, one.name])).toEqual([
      ['b-1', 'Bo'],
      ['b-2', null],
    ]);
    // by email alone: the oldest of those who share it
    const [byEmail] = await postrider.recipients.upsert(
      [{ email: 'BO@example.com', language: 'ko' }],
      company,
    );
    expect(byEmail).toEqual({ recipientId: first!.recipientId, created: false });
  });

  test('the same person twice in one call → one row, later fields over earlier ones', async () => {
    const company = { companyId: 'twice' };
    const answers = await postrider.recipients.upsert(
      [
        { email: 'c@example.com', name: 'C', preferences: { a: true } },
        { email: 'C@example.com', language: 'en', preferences: { b: true } },
      ],
      company,
    );
    expect(answers[0]).toEqual(answers[1]);
    expect((await postrider.recipients.list(company)).recipients).toMatchObject([
      { name: 'C', language: 'en', preferences: { a: true, b: true } },
    ]);
  });

  test('2,500 people and one who cannot be → none is written, and the field is named', async () => {
    const people = Array.from({ length: 2500 }, (_, n) => ({
      externalId: `x${n}`,
      email: `x${n}@example.com`,
    }));
    const company = { companyId: 'bulk' };
    await expect(
      postrider.recipients.upsert([...people, { email: 'y@example.com', timeZone: 'Mars/Olympus' }], company),
    ).rejects.toMatchObject({ code: 'INVALID_PAYLOAD', field: '[2500].timeZone' });
    expect((await postrider.recipients.list(company)).recipients).toEqual([]);
    expect(await postrider.recipients.upsert(people, company)).toHaveLength(2500);
    let cursor: string | null = null;
    const seen = new Set<string>();
    do {
      const page = await postrider.recipients.list({ ...company, limit: 999, ...(cursor && { cursor }) });
      for (const one of page.recipients) seen.add(one.externalId!);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen.size).toBe(2500);
  });

  test('check-ins where the person lives → a streak by their days, once a day, late reports included', async () => {
    const company = { companyId: 'streaks' };
    const person = { externalId: 'kim' };
    await postrider.recipients.upsert(
      [{ ...person, email: 'kim@example.com', timeZone: 'Asia/Seoul' }],
      company,
    );
    const report = (at: string) => postrider.recipients.reportCheckIn(person, { ...company, at });
    // 23:30 and 00:30 in Seoul are two days, though both are the 4th in UTC
    expect(await report('2026-03-04T14:30:00Z')).toEqual({ day: '2026-03-04', streakDays: 1, counted: true });
    expect(await report('2026-03-04T15:30:00Z')).toEqual({ day: '2026-03-05', streakDays: 2, counted: true });
    expect(await report('2026-03-04T16:30:00Z')).toEqual({
      day: '2026-03-05',
      streakDays: 2,
      counted: false,
    });
    expect(await report('2026-03-07T03:00:00Z')).toMatchObject({ day: '2026-03-07', streakDays: 1 });
    // the day between, reported late, joins them
    expect(await report('2026-03-06T03:00:00Z')).toMatchObject({ day: '2026-03-06', streakDays: 4 });
    expect(await postrider.recipients.get(person, company)).toMatchObject({
      lastCheckInAt: '2026-03-07T03:00:00.000Z',
      lastActiveAt: '2026-03-07T03:00:00.000Z',
      streakDays: 0, // months ago
    });
    const now = new Date();
    for (const daysAgo of [3, 2, 1])
      await report(new Date(now.getTime() - daysAgo * 86_400_000).toISOString());
    expect((await postrider.recipients.get(person, company))?.streakDays).toBe(3);
  });

  test('activity → counted per kind and day, and told back', async () => {
    const company = { companyId: 'active' };
    const [made] = await postrider.recipients.upsert([{ externalId: 'a', email: 'a@example.com' }], company);
    for (const kind of ['meeting', 'meeting', 'note'])
      await postrider.recipients.reportActivity({ externalId: 'a' }, { ...company, kind });
    const recent = await postrider.recipients.recentActivity([made!.recipientId], 7);
    expect(recent.get(made!.recipientId)).toMatchObject([
      { kind: 'meeting', days: 1, count: 2 },
      { kind: 'note', days: 1, count: 1 },
    ]);
    await expect(
      postrider.recipients.reportActivity({ externalId: 'nobody' }, company),
    ).rejects.toMatchObject({
      code: 'RECIPIENT_NOT_FOUND',
    });
  });

  test('a person who was removed → is found by nothing, and mail to them by either id is refused', async () => {
    const company = { companyId: 'gone' };
    const [made] = await postrider.recipients.upsert([{ externalId: 'g', email: 'g@example.com' }], company);
    const to = (recipient: object) =>
      postrider.send({ ...anEmail({ to: 'g@example.com' }), ...company, recipient: recipient as never });
    await to({ recipientId: made!.recipientId, email: 'g@example.com' });
    await to({ externalId: 'g', email: 'g@example.com' });
    await to({ externalId: 'never-registered', email: 'g@example.com' });
    expect(await postrider.recipients.remove({ externalId: 'g' }, company)).toBe(true);
    expect(await postrider.recipients.remove({ externalId: 'g' }, company)).toBe(false);
    for (const recipient of [{ recipientId: made!.recipientId }, { externalId: 'g' }])
      await expect(to({ ...recipient, email: 'g@example.com' })).rejects.toMatchObject({
        code: 'RECIPIENT_NOT_FOUND',
        field: `recipient.${Object.keys(recipient)[0]}`,
      });
    const [anew] = await postrider.recipients.upsert([{ externalId: 'g', email: 'g@example.com' }], company);
    expect(anew?.recipientId).not.toBe(made!.recipientId);
  });

  test('a typed email that says no language → is written in the recipient’s', async () => {
    const company = { companyId: 'tongues' };
    const people = ['d', 'e'].map((id) => ({ externalId: id, email: `${id}@example.com`, language: 'de' }));
    await postrider.recipients.upsert(people, company);
    const send = (id: string, parts: object) =>
      postrider.send({
        ...company,
        to: `${id}@example.com`,
        type: 'checkin_reminder',
        data: { streakDays: 3 },
        recipient: { externalId: id, email: `${id}@example.com` },
        ...parts,
      });
    expect(await postrider.get((await send('d', {})).emailId)).toMatchObject({ lang: 'de' });
    expect(await postrider.get((await send('e', { lang: 'en' })).emailId)).toMatchObject({ lang: 'en' });
  });
});

test('a recipient removed while the email waits → FAILED with RECIPIENT_NOT_FOUND by the worker', async () => {
  const company = { companyId: 'late' };
  await journey.postrider.recipients.upsert([{ externalId: 'l', email: 'l@example.com' }], company);
  const { emailId } = await journey.postrider.send({
    ...anEmail({ to: 'l@example.com' }),
    ...company,
    recipient: { externalId: 'l', email: 'l@example.com' },
  });
  await journey.postrider.recipients.remove({ externalId: 'l' }, company);
  await journey.postrider.start();
  expect(await journey.untilStatus(emailId, 'failed')).toMatchObject({ errorCode: 'RECIPIENT_NOT_FOUND' });
});

test('twenty imports of the same people at once, in different orders → everyone once, no deadlock', async () => {
  const company = { companyId: 'crowd' };
  const people = Array.from({ length: 200 }, (_, n) => ({
    ...(n % 2 === 0 && { externalId: `c${n}` }),
    email: `c${n}@example.com`,
  }));
  await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      journey.postrider.recipients.upsert([...people.slice(turn * 7), ...people.slice(0, turn * 7)], company),
    ),
  );
  const { rows } = await journey.pool.query(
    "select count(*)::int as n, count(distinct email)::int as d from postrider.recipients where tenant = 'crowd'",
  );
  expect(rows[0]).toEqual({ n: 200, d: 200 });
});

test('fifty check-ins of one person at once → one counts', async () => {
  const company = { companyId: 'rush' };
  await journey.postrider.recipients.upsert([{ externalId: 'r', email: 'r@example.com' }], company);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      journey.postrider.recipients.reportCheckIn({ externalId: 'r' }, company),
    ),
  );
  expect(answers.filter((answer) => answer.counted)).toHaveLength(1);
  expect(answers.every((answer) => answer.streakDays === 1)).toBe(true);
});

test('a rolled-back transaction of the caller → nobody was made', async () => {
  const company = { companyId: 'rolled' };
  await expect(
    journey.postrider.transaction(async (tx) => {
      await journey.postrider.recipients.upsert([{ email: 'r@example.com' }], { ...company, tx });
      throw new PostriderError('INTERNAL', 'the caller changes its mind');
    }),
  ).rejects.toThrow('changes its mind');
  expect((await journey.postrider.recipients.list(company)).recipients).toEqual([]);
});

test('people over HTTP → made, listed, shown, checked in, removed', async () => {
  const app = createHttpApp({
    rooms: httpRooms(journey.postrider),
    logger: silentLogger,
    clock: systemClock,
    apiKey: 'the-key',
    bodyLimitBytes: 1024 * 1024,
  });
  const ask = (method: string, path: string, body?: object) =>
    app.request(`http://localhost${path}`, {
      method,
      headers: { authorization: 'Bearer the-key', 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const companyId = 'over-http';
  const made = await ask('POST', '/v1/recipients', {
    companyId,
    recipients: [{ externalId: 'h/1', email: 'h@example.com', timeZone: 'Europe/Oslo' }],
  });
  expect(await made.json()).toMatchObject({ created: 1, updated: 0 });
  const path = `/v1/recipients/${encodeURIComponent('external:h/1')}`;
  expect(await (await ask('GET', `${path}?companyId=${companyId}`)).json()).toMatchObject({ companyId });
  expect((await ask('GET', path)).status).toBe(404);
  expect((await ask('GET', `/v1/recipients/h%40example.com?companyId=${companyId}`)).status).toBe(200);
  expect(await (await ask('POST', `${path}/check-ins`, { companyId })).json()).toMatchObject({
    streakDays: 1,
  });
  expect((await ask('POST', `${path}/activities`, { companyId, kind: 'meeting' })).status).toBe(204);
  const list = await (await ask('GET', `/v1/recipients?companyId=${companyId}&limit=1`)).json();
  expect(list).toMatchObject({ recipients: [{ externalId: 'h/1', streakDays: 1 }], nextCursor: null });
  expect((await ask('GET', '/v1/recipients?limit=0')).status).toBe(400);
  const refused = await ask('POST', '/v1/recipients', { companyId, recipients: [{ email: 'no' }] });
  expect(await refused.json()).toMatchObject({ status: 400, field: 'email' });
  expect((await ask('DELETE', `${path}?companyId=${companyId}`)).status).toBe(204);
  expect((await ask('GET', `${path}?companyId=${companyId}`)).status).toBe(404);
});
