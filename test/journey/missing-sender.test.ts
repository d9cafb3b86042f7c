import pg from 'pg';
import { expect, test } from 'vitest';
import { createPostrider } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { createTestDatabase, describeWith, waitFor } from '../services/index.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/** A default sender that was forgotten is a setting to mend, not a reason to fail what waits. */
describeWith('postgres')('no default sender', () => {
  test('an email without one waits → the route is paused and the email kept; set and resumed → it goes', async () => {
    const database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 2 });
    const provider = scriptedProvider();
    const open = (from?: { address: string }) =>
      createPostrider({
        ...{ database: database.url, provider, logger: silentLogger },
        ...(from ? { from } : {}),
        config: { email: { mode: 'smtp' }, smtp: { host: '127.0.0.1' } },
      });
    const forgetful = open();
    await forgetful.start();
    const { rows } = await pool.query<{ id: string }>(
      `select postrider.accept_v1(to_address => 'a@example.com', subject => 'x', text_body => 'x') as id`,
    );
    const id = rows[0]!.id;
    await waitFor(async () => (await forgetful.overview()).pauses.length > 0, {
      timeoutMs: 5000,
      what: 'the route to be paused',
    });
    expect((await forgetful.overview()).pauses).toMatchObject([
      { scope: 'route', value: 'default', reason: 'there is no sender: set SMTP_FROM_EMAIL' },
    ]);
    expect(await forgetful.get(id)).toMatchObject({ attempts: expect.any(Number), errorCode: null });
    await expect(forgetful.send({ to: 'a@example.com', subject: 'x', text: 'x' })).rejects.toMatchObject({
      field: 'from',
    });
    await forgetful.stop({ deadlineMs: 2000 });

    const mended = open({ address: 'noreply@example.com' });
    await mended.start();
    await mended.resume('route', 'default');
    await waitFor(async () => (await mended.get(id))?.status === 'sent', { timeoutMs: 8000, what: 'sent' });
    expect(await mended.get(id)).toMatchObject({ attempts: 1 });
    await mended.stop({ deadlineMs: 2000 });
    await pool.end();
    await database.drop();
  });
});
