import { expect, test } from 'vitest';
import { nextTurn, Turns } from './next-turn.js';

const afterTurn = () => new Promise((resolve) => setImmediate(resolve));

test('many long works at once → one of them goes on in each turn of the event loop', async () => {
  const done: number[] = [];
  const works = [1, 2, 3].map(async (work) => {
    await nextTurn();
    done.push(work);
  });
  const seen: number[] = [];
  for (let turn = 0; turn < 4; turn++) {
    await afterTurn();
    seen.push(done.length);
  }
  await Promise.all(works);
  expect(done).toEqual([1, 2, 3]);
  expect(seen.every((count, turn) => count <= turn + 1)).toBe(true);
});

test('small pieces of work → no turn is waited for until they have become much', async () => {
  const turns = new Turns();
  expect(turns.after(100 * 1024)).toBeUndefined();
  const wait = turns.after(100 * 1024);
  expect(wait).toBeInstanceOf(Promise);
  await wait;
  expect(turns.after(100 * 1024)).toBeUndefined();
});
