import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertOdd } from '../journey/ground/odd-rows.js';
import { type Door, openDoor } from '../journey/ground/open-door.js';
import { describeWith, waitFor } from '../services/index.js';

/** Content that older code took by SQL: larger than any text a process of Node can hold. */
describeWith('postgres')('a body of 600 MB in the ledger', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door?.close());

  test('claimed → fails without being read, what is beside it is sent; whoever opens it later is answered', async () => {
    const { pool, postrider } = door;
    const large = await insertOdd(pool, { email: { tenant: 'default' } });
    await pool.query(
      "update postrider.email_bodies set html = repeat('x', 600 * 1024 * 1024) where email_id = $1",
      [large],
    );
    const { emailId } = await postrider.send({ to: 'beside@example.net', subject: 'Beside', text: 'x' });
    await postrider.start();
    for (const [id, status] of [
      [emailId, 'sent'],
      [large, 'failed'],
    ] as const)
      await waitFor(async () => (await postrider.get(id))?.status === status, {
        timeoutMs: 60_000,
        what: `${id} to be ${status}`,
      });
    expect(await postrider.get(large)).toMatchObject({
      errorCode: 'INVALID_TEMPLATE',
      errorReason: 'html is larger than any that is sent',
      attempts: 1,
      possibleDuplicate: false,
    });
    for (const path of ['', '/content', '/html']) {
      const answer = await door.call('GET', `/admin/emails/${large}${path}`);
      expect(answer.status, path).toBe(200);
      expect(answer.text.length).toBeLessThan(1_000_000);
    }
    expect((await door.call('POST', `/admin/emails/${large}/resend`)).status).toBe(413);
  }, 300_000);
});
