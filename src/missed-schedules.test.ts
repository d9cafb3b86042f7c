import { expect, test } from 'vitest';
import { ManualClock } from './kernel/index.js';
import { createMissedSchedules } from './missed-schedules.js';

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour));

function watched() {
  const clock = new ManualClock();
  const seen = { name: 'weekly_focus', next: at(9) as Date | null, last: null as { slot: Date } | null };
  const look = createMissedSchedules({ list: async () => [{ ...seen }] as never }, clock);
  const aMinuteLater = () => {
    clock.advance(60_000);
    return look();
  };
  return { seen, look, aMinuteLater };
}

test('a time that passed without a run → missed a minute later, until a run is there', async () => {
  const { seen, look, aMinuteLater } = watched();
  expect(await look()).toEqual([]);
  seen.next = at(10);
  expect(await aMinuteLater()).toEqual([]);
  expect(await aMinuteLater()).toEqual([{ name: 'weekly_focus', dueAt: at(9) }]);
  seen.last = { slot: at(9) };
  expect(await aMinuteLater()).toEqual([]);
});

test('a run at its time, or a pause → nothing is missed', async () => {
  const { seen, look, aMinuteLater } = watched();
  await look();
  seen.next = at(10);
  seen.last = { slot: at(9) };
  for (let minute = 0; minute < 3; minute++) expect(await aMinuteLater()).toEqual([]);
  seen.next = null;
  for (let minute = 0; minute < 3; minute++) expect(await aMinuteLater()).toEqual([]);
});

test('schedules that cannot be listed → said, and asked for again at once', async () => {
  let broken = true;
  const look = createMissedSchedules(
    {
      async list() {
        if (broken) throw new Error('permission denied');
        return [];
      },
    },
    new ManualClock(),
  );
  await expect(look()).rejects.toThrow('permission denied');
  broken = false;
  expect(await look()).toEqual([]);
});
