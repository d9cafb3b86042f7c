import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { type Door, openDoor } from './ground/open-door.js';

const key = () => randomBytes(32).toString('base64');

test('a secret → the database has it sealed; after a change of keys and a rotation the old key can go', async () => {
  const [one, two] = [key(), key()];
  const doors: Door[] = [];
  onTestFinished(async () => {
    for (const door of doors.reverse()) await door.close();
  });
  const open = async (secretKeys?: string) => {
    const door = await openDoor({
      ...(doors[0] && { database: doors[0].database }),
      config: { access: { secretKeys: secretKeys ?? null } },
    });
    doors.push(door);
    return door;
  };
  const first = await open(`one:${one}`);
  await first.postrider.access.secrets.put('webhook/1', 'whsec_hidden');
  await first.postrider.access.secrets.put('webhook/2', 'whsec_other');
  const { rows } = await first.pool.query('select * from postrider.sealed_secrets');
  expect(JSON.stringify(rows)).not.toContain('whsec');

  const both = await open(`two:${two},one:${one}`);
  await both.postrider.access.secrets.put('webhook/2', 'whsec_new');
  const rotated = await both.call('POST', '/admin/secrets/rotate');
  expect(rotated.body).toEqual({ resealed: 1, total: 2 });
  expect((await both.call('POST', '/admin/secrets/rotate')).body).toEqual({ resealed: 0, total: 2 });

  const last = await open(`two:${two}`);
  const { secrets } = last.postrider.access;
  expect([await secrets.get('webhook/1'), await secrets.get('webhook/2'), await secrets.get('none')]).toEqual(
    ['whsec_hidden', 'whsec_new', null],
  );
  await expect(first.postrider.access.secrets.get('webhook/1')).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
  });
  const none = await open();
  await expect(none.postrider.access.secrets.put('x', 'y')).rejects.toMatchObject({ code: 'NOT_CONFIGURED' });
});
