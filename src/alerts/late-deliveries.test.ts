import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { ALERT_DEFAULTS } from './alert-defaults.js';
import { createLateDeliveries } from './late-deliveries.js';

const MINUTE = 60_000;

function deliveries(types: Record<string, { lateMs: number }> | null = null) {
  const clock = new ManualClock();
  const subject = createLateDeliveries({ ...ALERT_DEFAULTS, tenants: null, types }, clock);
  const start = Date.UTC(2026, 0, 1);
  const began = clock.monotonic();
  const databaseNow = () => start + clock.monotonic() - began;
  subject.setTime(new Date(databaseNow()), began);
  const send = (count: number, tookMs: number, type = 'sign_in_code', sensitive = true) => {
    for (let sent = 0; sent < count; sent++)
      subject.note({ type, sensitive, dueAt: new Date(databaseNow() - tookMs) });
  };
  return { clock, subject, send };
}

test('three codes later than two minutes → late, with the slowest; two → not', () => {
  const { subject, send } = deliveries();
  send(2, 3 * MINUTE);
  expect(subject.late()).toEqual([]);
  send(1, 5 * MINUTE);
  expect(subject.late()).toEqual([
    { type: 'sign_in_code', late: 3, sent: 3, limitMs: 2 * MINUTE, longestMs: 5 * MINUTE },
  ]);
});

test('a few late ones among many → not late', () => {
  const { subject, send } = deliveries();
  send(40, 100);
  send(4, 3 * MINUTE);
  expect(subject.late()).toEqual([]);
  send(1, 3 * MINUTE);
  expect(subject.late()).toHaveLength(1);
});

test('a quarter of an hour later → over, and nothing of it is kept', () => {
  const { clock, subject, send } = deliveries();
  send(3, 3 * MINUTE);
  clock.advance(10 * MINUTE);
  expect(subject.late()).toHaveLength(1);
  clock.advance(6 * MINUTE);
  expect(subject.late()).toEqual([]);
});

test('emails that are not sensitive → not counted, unless their type has a threshold of its own', () => {
  const { subject, send } = deliveries({ receipt: { lateMs: 1000 } });
  send(3, MINUTE, 'digest', false);
  send(3, MINUTE, 'receipt', false);
  expect(subject.late().map(({ type, limitMs }) => [type, limitMs])).toEqual([['receipt', 1000]]);
});

test('more types than are counted → the first ones are', () => {
  const { subject, send } = deliveries();
  for (let type = 0; type < 600; type++) send(3, 3 * MINUTE, `type-${type}`);
  expect(subject.late()).toHaveLength(500);
});
