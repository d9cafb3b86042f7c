import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import type { Postrider } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

let journey: Journey;
beforeAll(async () => {
  journey = await openJourney();
});
afterAll(() => journey.close());

describe.each(['PostgreSQL', 'PGlite'])('suppressions on %s', (store) => {
  let postrider: Postrider;
  let close = async () => {};
  beforeAll(async () => {
    if (store === 'PostgreSQL') postrider = journey.postrider;
    else ({ postrider, close } = await openEmbedded());
  });
  afterAll(() => close());

  test('an address on the list → the email is accepted, ends as suppressed and says why', async () => {
    const company = { companyId: 'listed' };
    expect(await postrider.suppressions.add([{ email: 'Ada@example.com', reason: 'bounce' }], company)).toBe(
      1,
    );
    expect(await postrider.suppressions.add([{ email: 'ada@example.com', reason: 'bounce' }], company)).toBe(
      0,
    );
    const accepted = await postrider.send({ ...anEmail({ to: 'ADA@example.com' }), ...company });
    expect(accepted).toMatchObject({ queued: false, status: 'suppressed' });
    expect(await postrider.get(accepted.emailId)).toMatchObject({
      status: 'suppressed',
      errorReason: 'bounce',
    });
    expect((await postrider.timeline(accepted.emailId)).map(({ type }) => type)).toEqual([
      'ENQUEUED',
      'SUPPRESSED',
    ]);
    // another company's list is another list
    expect(await postrider.send({ ...anEmail({ to: 'ada@example.com' }), companyId: 'free' })).toMatchObject({
      queued: true,
    });
    expect(await postrider.suppressions.find('ada@EXAMPLE.com', company)).toMatchObject([
      { email: 'Ada@example.com', reason: 'bounce', category: null },
    ]);
    expect(await postrider.suppressions.remove({ email: 'ada@example.com' }, company)).toBe(1);
    expect(await postrider.send({ ...anEmail({ to: 'ada@example.com' }), ...company })).toMatchObject({
      queued: true,
    });
  });

  test("an emailId of another company, or of nobody → refused alike; imported → left out; one's own → kept", async () => {
    const own = { companyId: 'own-id' };
    const theirs = (await postrider.send({ ...anEmail(), companyId: 'their-id' })).emailId;
    const ours = (await postrider.send({ ...anEmail(), ...own })).emailId;
    const entry = (emailId: string) => ({ email: `e-${emailId}@example.com`, emailId });
    const refusals = [];
    for (const emailId of [theirs, theirs.toUpperCase(), '01900000-0000-7000-8000-000000000000']) {
      const alone = await postrider.suppressions.add([entry(emailId)], own).catch((error: unknown) => error);
      expect(alone).toMatchObject({ code: 'INVALID_PAYLOAD', field: 'emailId' });
      refusals.push((alone as Error).message);
      await expect(postrider.suppressions.add([entry(ours), entry(emailId)], own)).rejects.toMatchObject({
        code: 'INVALID_PAYLOAD',
        field: '[1].emailId',
      });
    }
    expect(new Set(refusals).size).toBe(1);
    expect((await postrider.suppressions.list(own)).suppressions).toEqual([]);
    await postrider.suppressions.importAll([entry(theirs), entry(ours)], own);
    await postrider.suppressions.add([{ ...entry(ours.toUpperCase()), reason: 'bounce' }], own);
    const kept = (await postrider.suppressions.list(own)).suppressions;
    expect(new Set(kept.map(({ emailId }) => emailId))).toEqual(new Set([null, ours]));
    expect(kept).toHaveLength(3);
    const found = await postrider.transaction(async (tx) => {
      const { emailId } = await postrider.send({ ...anEmail(), ...own }, { tx });
      await postrider.suppressions.add([entry(emailId)], { ...own, tx });
      return emailId;
    });
    expect(await postrider.suppressions.find(`e-${found}@example.com`, own)).toMatchObject([
      { emailId: found },
    ]);
  });

  const kinds = [
    // reason, of a category, then whether it stops: essential, no category, `reminders`, `weeklyFocus`
    ['bounce', null, [true, true, true, true]],
    ['manual', null, [true, true, true, true]],
    ['complaint', null, [false, true, true, true]],
    ['unsubscribe', null, [false, true, true, true]],
    ['unsubscribe', 'reminders', [false, false, true, false]],
  ] as const;
  test.each(kinds)('%s of %s → stops what it should and nothing else', async (reason, category, stops) => {
    const company = { companyId: `kind-${reason}-${category}` };
    await postrider.suppressions.add([{ email: 'k@example.com', reason, category }], company);
    const emails = [{ category: 'auth' }, {}, { category: 'reminders' }, { category: 'weeklyFocus' }];
    const answers = await postrider.sendBatch(
      emails.map((parts) => ({ ...anEmail({ to: 'k@example.com' }), ...company, ...parts })),
    );
    expect(answers.map(({ queued }) => !queued)).toEqual(stops);
  });

  test('a preference that says no → stops that kind, and sign-in mail goes out', async () => {
    const company = { companyId: 'prefers' };
    await postrider.recipients.upsert(
      [{ email: 'p@example.com', preferences: { reminders: false, auth: false, weeklyFocus: true } }],
      company,
    );
    const send = (category: string) =>
      postrider.send({ ...anEmail({ to: 'P@example.com' }), ...company, category });
    expect((await send('reminders')).status).toBe('suppressed');
    expect((await send('weeklyFocus')).status).toBe('pending');
    expect((await send('auth')).status).toBe('pending');
  });

  test('a declared type → is refused by its category', async () => {
    const company = { companyId: 'typed' };
    await postrider.suppressions.add([{ email: 't@example.com', reason: 'unsubscribe' }], company);
    const reminder = { type: 'checkin_reminder' as const, data: { streakDays: 2 } };
    expect((await postrider.send({ ...company, to: 't@example.com', ...reminder })).status).toBe(
      'suppressed',
    );
    const verification = {
      type: 'verification' as const,
      data: { name: 'T', verifyUrl: 'https://a.example/1' },
    };
    const typed = await postrider
      .send({ ...company, to: 't@example.com', ...verification } as never)
      .then(({ status }) => status)
      .catch((error: { field?: string }) => error.field);
    expect(typed).not.toBe('suppressed');
  });

  test('listed, paged and filtered → everyone once', async () => {
    const company = { companyId: 'pages' };
    await postrider.suppressions.add(
      Array.from({ length: 25 }, (_, n) => ({
        email: `p${n}@example.com`,
        reason: n % 5 === 0 ? ('complaint' as const) : ('manual' as const),
      })),
      company,
    );
    const first = await postrider.suppressions.list({ ...company, limit: 20 });
    const rest = await postrider.suppressions.list({ ...company, limit: 20, cursor: first.nextCursor! });
    expect([first.suppressions.length, rest.suppressions.length, rest.nextCursor]).toEqual([20, 5, null]);
    expect(
      (await postrider.suppressions.list({ ...company, reason: 'complaint' })).suppressions,
    ).toHaveLength(5);
  });
});

test('suppressed while it waits → the worker sends nothing, and the log says so', async () => {
  const company = { companyId: 'late' };
  const waiting = await journey.postrider.send({ ...anEmail({ to: 'late@example.com' }), ...company });
  const essential = await journey.postrider.send({
    ...anEmail({ to: 'late@example.com' }),
    ...company,
    category: 'security',
  });
  expect(waiting.status).toBe('pending');
  await journey.postrider.suppressions.add([{ email: 'late@example.com', reason: 'complaint' }], company);
  await journey.postrider.start();
  await journey.untilStatus(waiting.emailId, 'suppressed');
  await journey.untilStatus(essential.emailId, 'sent');
  expect(journey.provider.callsFor(waiting.emailId)).toEqual([]);
  const timeline = await journey.postrider.timeline(waiting.emailId);
  expect(timeline.at(-1)).toMatchObject({
    type: 'SUPPRESSED',
    metadata: { reason: 'complaint', recipients: [{ address: 'late@example.com', reason: 'complaint' }] },
  });
});

test('of three recipients one is suppressed → the two others are reached, and the timeline names the third', async () => {
  await journey.postrider.start();
  const company = { companyId: 'some' };
  await journey.postrider.suppressions.add([{ email: 'b@example.com' }], company);
  const { emailId, status } = await journey.postrider.send({
    ...anEmail({ to: ['a@example.com', 'b@example.com'], cc: 'c@example.com' }),
    ...company,
  });
  expect(status).toBe('pending');
  await journey.untilStatus(emailId, 'sent');
  expect(journey.provider.callsFor(emailId)[0]?.recipients).toEqual(['a@example.com', 'c@example.com']);
  const sent = (await journey.postrider.timeline(emailId)).find(({ type }) => type === 'SENT');
  expect(sent?.metadata).toMatchObject({ suppressed: [{ address: 'b@example.com', reason: 'manual' }] });
});

test('a row of which only the hash is left → still stops', async () => {
  const company = { companyId: 'erased' };
  await journey.postrider.suppressions.add([{ email: 'e@example.com' }], company);
  await journey.pool.query("update postrider.suppressions set address = null where tenant = 'erased'");
  expect((await journey.postrider.send({ ...anEmail({ to: 'e@example.com' }), ...company })).queued).toBe(
    false,
  );
  expect(await journey.postrider.suppressions.find('e@example.com', company)).toMatchObject([
    { email: null },
  ]);
});

test('100,000 rows imported and exported → all there, in bounded memory', async () => {
  const company = { companyId: 'many' };
  function* rows() {
    for (let n = 0; n < 100_000; n += 1)
      yield { email: `person-${n}@example.com`, reason: 'unsubscribe', note: 'moved from another system' };
  }
  let peak = 0;
  global.gc?.();
  const before = process.memoryUsage().heapUsed;
  const watch = () => {
    peak = Math.max(peak, process.memoryUsage().heapUsed - before);
  };
  expect(await journey.postrider.suppressions.importAll(rows(), { ...company, onProgress: watch })).toEqual({
    added: 100_000,
    known: 0,
  });
  let exported = 0;
  for await (const row of journey.postrider.suppressions.exportAll(company)) {
    if (exported % 5000 === 0) watch();
    exported += row.reason === 'unsubscribe' ? 1 : 0;
  }
  expect(exported).toBe(100_000);
  // the rows alone would be well over this if they were kept
  expect(peak).toBeLessThan(150 * 1024 * 1024);
});

test('a broken row in an import → refused with its number, what came before stays', async () => {
  const company = { companyId: 'broken' };
  const rows = [{ email: 'ok@example.com' }, { email: 'nonsense' }];
  await expect(journey.postrider.suppressions.importAll(rows, company)).rejects.toMatchObject({
    field: '[1].email',
  });
  await expect(
    journey.postrider.suppressions.add(
      [{ email: 'a@example.com', reason: 'bounce', category: 'x' }],
      company,
    ),
  ).rejects.toMatchObject({ field: 'category' });
});

test('the list over HTTP → added, streamed out, streamed in elsewhere, removed', async () => {
  const app = createHttpApp({
    rooms: httpRooms(journey.postrider),
    logger: silentLogger,
    clock: systemClock,
    apiKey: 'the-key',
    bodyLimitBytes: 1024 * 1024,
  });
  const ask = (method: string, path: string, body?: string, type = 'application/json') =>
    app.request(`http://localhost/v1/suppressions${path}`, {
      method,
      headers: { authorization: 'Bearer the-key', 'content-type': type },
      ...(body !== undefined && { body }),
    });
  const entries = Array.from({ length: 2500 }, (_, n) => ({ email: `h${n}@example.com`, note: 'a, "note"' }));
  const added = await ask('POST', '', JSON.stringify({ companyId: 'from', suppressions: entries }));
  expect(await added.json()).toEqual({ added: 2500, known: 0 });
  for (const [format, type] of [
    ['csv', 'text/csv'],
    ['ndjson', 'application/x-ndjson'],
  ]) {
    const file = await (await ask('GET', `/export?companyId=from&format=${format}`)).text();
    const imported = await ask('POST', `/import?companyId=to-${format}`, file, type);
    expect(await imported.json()).toEqual({ added: 2500, known: 0 });
  }
  const one = await ask('GET', '/h7%40example.com?companyId=to-csv');
  expect(await one.json()).toMatchObject({ suppressions: [{ reason: 'manual', note: 'a, "note"' }] });
  expect(await (await ask('DELETE', '/h7%40example.com?companyId=to-csv')).json()).toEqual({ removed: 1 });
  expect(await (await ask('GET', '?companyId=to-csv&limit=2')).json()).toMatchObject({
    suppressions: [{}, {}],
    nextCursor: expect.any(String),
  });
  expect((await ask('POST', '/import', 'email\nx', 'text/plain')).status).toBe(415);
  const bad = await ask('POST', '/import?companyId=bad', 'email\na@example.com\nnope', 'text/csv');
  expect(await bad.json()).toMatchObject({ status: 400, field: '[1].email' });
  expect((await ask('GET', '/export?format=xml')).status).toBe(400);
});
