import { afterEach, beforeEach, expect, test } from 'vitest';
import { anEmail } from './ground/open-journey.js';
import { openRoutedJourney, type RoutedJourney } from './ground/routed-journey.js';

/** What keeps a staging system from writing to people. */
let journey: RoutedJourney;
beforeEach(async () => {
  journey = await openRoutedJourney();
});
afterEach(() => journey.close());

const acceptBySql = async (to: string): Promise<string> => {
  const { rows } = await journey.pool.query<{ id: string }>(
    `select postrider.accept_v1($1, 'Hello', text_body => 'Hello') as id`,
    [to],
  );
  return rows[0]!.id;
};

test('redirectAllTo → everything goes there, however it came in; the log keeps whom it was for', async () => {
  const postrider = await journey.open([{ name: 'main' }], {
    email: { redirectAllTo: 'tester@example.org' },
  });
  await postrider.start();
  const { emailId } = await postrider.send(
    anEmail({ to: 'reader@example.net', cc: 'copy@example.net', bcc: 'hidden@example.net' }),
  );
  const bySql = await acceptBySql('sql@example.net');
  for (const id of [emailId, bySql]) await journey.untilStatus(postrider, id, 'sent');
  expect(new Set(journey.calls.map(({ to }) => to))).toEqual(new Set(['tester@example.org']));
  expect(journey.calls.find((call) => call.emailId === emailId)?.headers).toEqual({
    'X-Postrider-Original-To': 'reader@example.net, copy@example.net, hidden@example.net',
  });
  expect(await postrider.get(emailId)).toMatchObject({ to: 'reader@example.net' });
});

test('allowed domains → another recipient is refused at intake with 403 and leaves no trace', async () => {
  const postrider = await journey.open([{ name: 'main' }], { email: { allowedDomains: ['example.org'] } });
  await postrider.start();
  for (const [parts, field] of [
    [{ to: 'a@example.net' }, 'to'],
    [{ to: 'a@example.org', cc: 'b@example.net' }, 'cc'],
    [{ to: 'a@example.org', bcc: ['c@example.org', 'b@sub.example.org'] }, 'bcc'],
  ] as const)
    await expect(postrider.send(anEmail({ ...parts } as object))).rejects.toMatchObject({
      code: 'RECIPIENT_NOT_ALLOWED',
      status: 403,
      field,
    });
  expect((await journey.pool.query('select 1 from postrider.emails')).rowCount).toBe(0);
  const { emailId } = await postrider.send(anEmail({ to: 'a@Example.org' }));
  await journey.untilStatus(postrider, emailId, 'sent');
});

test('allowed domains, by SQL → fails in validation, and no provider sees it', async () => {
  const postrider = await journey.open([{ name: 'main' }], { email: { allowedDomains: ['example.org'] } });
  await postrider.start();
  const outside = await acceptBySql('a@example.net');
  await journey.untilStatus(postrider, outside, 'failed');
  expect(await postrider.get(outside)).toMatchObject({ errorCode: 'RECIPIENT_NOT_ALLOWED' });
  expect((await postrider.timeline(outside)).map(({ type }) => type)).toEqual([
    'ENQUEUED',
    'RECEIVED',
    'VALIDATION_FAILED',
    'FAILED',
  ]);
  const inside = await acceptBySql('a@example.org');
  await journey.untilStatus(postrider, inside, 'sent');
  expect(journey.calls.map(({ to }) => to)).toEqual(['a@example.org']);
});
