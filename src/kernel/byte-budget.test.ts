import { expect, test } from 'vitest';
import { ByteBudget } from './byte-budget.js';

test('more bytes than the budget has → refused, and taken once others gave theirs back', () => {
  const budget = new ByteBudget(100);
  const first = budget.open(null);
  const second = budget.open(null);
  expect([first.take(60), second.take(50), second.take(40)]).toEqual([true, false, true]);
  first.release();
  first.release();
  expect(budget.bytesInUse).toBe(40);
  expect(second.take(60)).toBe(true);
});

test('an owner of several holds → has no more than it leaves free; one hold alone may take everything', () => {
  const budget = new ByteBudget(100);
  const [one, two, other] = [budget.open('acme'), budget.open('acme'), budget.open('bolt')];
  expect([one.take(30), two.take(20), two.take(1)]).toEqual([true, true, false]);
  expect(other.take(25)).toBe(true);
  expect(one.take(1)).toBe(false);
  for (const hold of [one, two, other]) hold.release();
  expect(budget.open('acme').take(100)).toBe(true);
});

test('what was reserved and then arrives → counted once', () => {
  const budget = new ByteBudget(100);
  const hold = budget.open('acme');
  expect(hold.reserve(40)).toBe(true);
  for (let sent = 0; sent < 5; sent++) expect(hold.take(10)).toBe(true);
  expect(budget.bytesInUse).toBe(50);
  hold.release();
  expect(budget.bytesInUse).toBe(0);
});

test('some of it given back → others may have that, and never more than was held', () => {
  const budget = new ByteBudget(100);
  const [first, second] = [budget.open(null), budget.open(null)];
  first.take(80);
  first.giveBack(50);
  expect([second.take(80), second.take(70)]).toEqual([false, true]);
  first.giveBack(50);
  expect(budget.bytesInUse).toBe(70);
});

test('many owners that come and go → nothing of them is kept', () => {
  const budget = new ByteBudget(100);
  for (let n = 0; n < 1000; n++) {
    const hold = budget.open(`owner ${n}`);
    hold.take(10);
    hold.release();
  }
  expect(Reflect.get(budget, 'owned')).toHaveProperty('size', 0);
});
