import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { createSuppressionReader } from './find-suppressed.js';

/** A list that other processes change; this one is not told of it. */
function ground() {
  const clock = new ManualClock();
  const list = { isEmpty: true };
  let looks = 0;
  let held: Promise<void> | null = null;
  const database = {
    async query(statement: { text: string }) {
      looks += 1;
      const isEmpty = list.isEmpty;
      await held;
      const rows = statement.text.includes('exists')
        ? [{ any: !isEmpty }]
        : isEmpty
          ? []
          : [{ position: 1, reason: 'bounce' }];
      return { rows, rowCount: rows.length };
    },
  } as unknown as Queryable;
  const reader = createSuppressionReader({ clock, hashKey: 'key' });
  const email = { id: 'id', tenant: 'acme', addresses: ['a@example.net'], category: null, essential: false };
  const isSuppressed = async (parts: object = {}) =>
    (await reader.find(database, [{ ...email, ...parts }])).has('id');
  /** What is asked from now on is answered, with what the list was, when released. */
  function holdLook(): () => void {
    let release = () => {};
    held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }
  return { clock, list, reader, isSuppressed, holdLook, looks: () => looks };
}

test('another process suppresses the first address there is → known here within a quarter of a second', async () => {
  const { clock, list, isSuppressed } = ground();
  expect(await isSuppressed()).toBe(false);
  list.isEmpty = false;
  clock.advance(250);
  expect(await isSuppressed()).toBe(true);
});

test('asked all the time while the list is empty → no question puts the next look off', async () => {
  const { clock, list, isSuppressed } = ground();
  expect(await isSuppressed()).toBe(false);
  for (let n = 0; n < 24; n++) {
    clock.advance(10);
    expect(await isSuppressed()).toBe(false);
  }
  list.isEmpty = false;
  clock.advance(10);
  expect(await isSuppressed()).toBe(true);
});

test('an email that people can refuse → looked up at once, whatever was known of the list', async () => {
  const { list, isSuppressed } = ground();
  expect(await isSuppressed()).toBe(false);
  list.isEmpty = false;
  expect(await isSuppressed({ category: 'reminders' })).toBe(true);
});

test('this process suppresses an address → known at once', async () => {
  const { list, reader, isSuppressed } = ground();
  expect(await isSuppressed()).toBe(false);
  list.isEmpty = false;
  reader.forget();
  expect(await isSuppressed()).toBe(true);
});

test('this process suppresses an address while a look is under way → that look is not remembered', async () => {
  const { list, reader, isSuppressed, holdLook } = ground();
  const release = holdLook();
  const look = isSuppressed();
  list.isEmpty = false;
  reader.forget();
  release();
  expect(await look).toBe(false);
  expect(await isSuppressed()).toBe(true);
});

test('an empty list and twenty questions within a quarter of a second → one look', async () => {
  const { isSuppressed, looks } = ground();
  for (let n = 0; n < 20; n++) await isSuppressed();
  expect(looks()).toBe(1);
});
