import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPostrider, defineEmail, type EmailType } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import { waitFor } from '../services/index.js';
import { type Door, openDoor } from './ground/open-door.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/** What a type declares in code holds for the emails of that type that come by SQL. */
const PUBLIC_URL = 'https://mail.example.org';
let door: Door;
beforeAll(async () => {
  door = await openDoor({
    config: { unsubscribe: { publicUrl: PUBLIC_URL, keys: 'the key that signs now' } },
  });
});
afterAll(() => door.close());

async function accept(parts: Record<string, unknown>): Promise<string> {
  const given = {
    to_address: 'reader@example.net',
    subject: 'Hello',
    html: '<p>Code 482913</p>',
    company_id: 'acme',
    ...parts,
  };
  const names = Object.keys(given);
  const { rows } = await door.pool.query<{ id: string }>(
    `select postrider.accept_v1(${names.map((name, n) => `${name} => $${n + 1}`).join(', ')}) as id`,
    Object.values(given),
  );
  return rows[0]!.id;
}

const untilStatus = (id: string, status: string) =>
  waitFor(
    async () => {
      const log = await door.postrider.get(id);
      if (log?.status !== status) throw new Error(`it is ${log?.status}`);
      return log;
    },
    { timeoutMs: 15_000, what: `${id} to be ${status}` },
  );

test('type password_reset by SQL → its code is hidden from operators from the first moment, and gone once sent', async () => {
  const id = await accept({ type: 'password_reset' });
  const detail = await door.call('GET', `/admin/emails/${id}`);
  expect(detail.body).toMatchObject({ content: 'hidden', subject: '(hidden)' });
  expect((await door.call('GET', `/admin/emails/${id}/content`)).status).toBe(403);
  await door.postrider.start();
  await untilStatus(id, 'sent');
  expect(door.provider.callsFor(id)[0]?.email).toMatchObject({
    subject: 'Hello',
    html: expect.stringContaining('482913'),
  });
  const { rowCount } = await door.pool.query('select 1 from postrider.email_bodies where email_id = $1', [
    id,
  ]);
  expect(rowCount).toBe(0);
});

describe('a person who refused a category', () => {
  test('that category by SQL → nothing is sent; the others all the same', async () => {
    const { postrider, provider } = door;
    await postrider.start();
    await postrider.suppressions.add(
      [{ email: 'no@example.net', reason: 'unsubscribe', category: 'reminders' }],
      {
        companyId: 'acme',
      },
    );
    await postrider.recipients.upsert(
      [{ externalId: 'p-1', email: 'never@example.net', preferences: { reminders: false } }],
      {
        companyId: 'acme',
      },
    );
    for (const to_address of ['no@example.net', 'Never <NEVER@example.net>']) {
      const id = await accept({ type: 'checkin_reminder', to_address });
      await untilStatus(id, 'suppressed');
      expect(provider.callsFor(id)).toEqual([]);
      await untilStatus(await accept({ type: 'password_reset', to_address }), 'sent');
      await untilStatus(await accept({ to_address }), 'sent');
    }
  });
});

test('an email of a category by SQL → carries List-Unsubscribe; the link is hers, and the next attempt has the same', async () => {
  const { postrider, provider } = door;
  await postrider.start();
  const id = await accept({
    type: 'checkin_reminder',
    to_address: 'link@example.net',
    headers: '{"X-Order":"7"}',
  });
  await untilStatus(id, 'sent');
  const { headers } = provider.callsFor(id)[0]!.email;
  expect(headers).toMatchObject({ 'X-Order': '7', 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' });
  const link = headers['List-Unsubscribe']!.slice(1, -1);
  expect(link.startsWith(`${PUBLIC_URL}/u/`)).toBe(true);
  const token = link.slice(link.lastIndexOf('/') + 1);
  expect(
    await postrider.unsubscribePage!.change(token, {
      refuse: ['reminders'],
      want: [],
      by: 'one-click',
    } as never),
  ).toBe(true);
  expect(await postrider.suppressions.find('link@example.net', { companyId: 'acme' })).toMatchObject([
    { reason: 'unsubscribe', category: 'reminders' },
  ]);
});

test.each([
  ['sign-in mail', { type: 'password_reset' }],
  ['a type nobody declared', { type: 'invoice' }],
  ['no type', {}],
  [
    'a list of its own',
    { type: 'checkin_reminder', headers: '{"list-unsubscribe":"<https://own.example/x>"}' },
  ],
])('%s by SQL → no List-Unsubscribe of ours', async (_case, parts) => {
  await door.postrider.start();
  const id = await accept({ ...parts, to_address: 'plain@example.net' });
  await untilStatus(id, 'sent');
  expect(JSON.stringify(door.provider.callsFor(id)[0]?.email.headers)).not.toContain('/u/');
});

test('an address in Unicode by SQL → the suppression of its ASCII form holds, and the others are written to in ASCII', async () => {
  const { postrider, provider } = door;
  await postrider.start();
  await postrider.suppressions.add([{ email: 'ada@xn--bcher-kva.example', reason: 'bounce' }], {
    companyId: 'acme',
  });
  await untilStatus(await accept({ to_address: 'ada@bücher.example' }), 'suppressed');
  const id = await accept({ to_address: 'bob@bücher.example' });
  await untilStatus(id, 'sent');
  expect(provider.callsFor(id)[0]?.recipients).toEqual(['bob@xn--bcher-kva.example']);
});

describe('what is declared', () => {
  const declared = (type: string, parts: Partial<EmailType>) =>
    defineEmail({
      ...{ type, portal: 'org', category: 'orders', data: z.strictObject({}), sample: {} },
      content: { subject: 'x', html: 'x' },
      ...parts,
    } as never);
  async function process(...types: unknown[]) {
    const postrider = createPostrider({
      database: door.database.url,
      provider: scriptedProvider(),
      logger: silentLogger,
      types: types as EmailType[],
    });
    await postrider.ready();
    await postrider.stop({ deadlineMs: 1000 });
  }
  const rowsOf = async (...names: string[]) =>
    (
      await door.pool.query(
        'select type, category, essential, sensitive, own, declared_at from postrider.declared_types where type = any ($1) order by type',
        [names],
      )
    ).rows;

  test('two applications on one store → each has its own types; neither removes or rewrites the other’s', async () => {
    await process(declared('parcel_sent', {}));
    await process(declared('door_code', { sensitive: true, category: 'auth' }));
    const rows = await rowsOf('parcel_sent', 'door_code', 'welcome');
    expect(rows).toMatchObject([
      { type: 'door_code', category: 'auth', essential: true, sensitive: true, own: true },
      { type: 'parcel_sent', category: 'orders', essential: false, sensitive: false, own: true },
      { type: 'welcome', own: false },
    ]);
    await process(declared('parcel_sent', {}));
    expect(await rowsOf('parcel_sent', 'door_code', 'welcome')).toEqual(rows);
  });

  test('an application’s own in place of a built-in one → stands, whichever process starts last; changed, it is changed', async () => {
    await process(declared('welcome', { sensitive: true }));
    await process();
    expect(await rowsOf('welcome')).toMatchObject([{ category: 'orders', sensitive: true, own: true }]);
    await process(declared('welcome', { category: 'news' }));
    expect(await rowsOf('welcome')).toMatchObject([{ category: 'news', sensitive: false }]);
  });

  test('a role that may not write there → goes on, and says so', async () => {
    const role = `reader_${Date.now()}`;
    await door.pool.query(`create role ${role} login password 'secret'`);
    await door.pool.query(`grant usage on schema postrider to ${role}`);
    await door.pool.query(`grant select on postrider.schema_migrations to ${role}`);
    const url = new URL(door.database.url);
    url.username = role;
    url.password = 'secret';
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: (_fields: unknown, text: string) => lines.push(text) };
    const postrider = createPostrider({
      database: url.href,
      provider: scriptedProvider(),
      logger: logger as never,
    });
    await postrider.ready();
    await postrider.stop({ deadlineMs: 1000 });
    await door.pool.query(`drop owned by ${role}`);
    await door.pool.query(`drop role ${role}`);
    expect(lines).toContain('accept_v1 is not told the types of this process');
  });
});
