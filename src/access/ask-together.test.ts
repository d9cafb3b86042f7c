import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { askTogether } from './ask-together.js';

interface Asked {
  keys: readonly string[];
  answer(found: Record<string, string>): void;
  fail(): void;
}

function rehearsed() {
  const asked: Asked[] = [];
  const clock = new ManualClock();
  const find = askTogether<string>(
    (keys) =>
      new Promise((resolve, reject) => {
        asked.push({
          keys,
          answer: (found) => resolve(new Map(Object.entries(found))),
          fail: () => reject(new Error('away')),
        });
      }),
    () => clock.monotonic(),
  );
  return { asked, find, clock };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('many at once → one question, each its own answer, and null for what is not there', async () => {
  const { asked, find } = rehearsed();
  const answers = Promise.all(['a', 'b', 'a', 'c'].map(find));
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']]);
  asked[0]!.answer({ a: '1', b: '2' });
  expect(await answers).toEqual(['1', '2', '1', null]);
});

test('asked while a question is under way → answered by the next, not by the one that may be older', async () => {
  const { asked, find } = rehearsed();
  const first = find('a');
  await turn();
  const later = [find('a'), find('b')];
  await turn();
  expect(asked).toHaveLength(1);
  asked[0]!.answer({ a: 'before' });
  expect(await first).toBe('before');
  await turn();
  expect(asked[1]!.keys).toEqual(['a', 'b']);
  asked[1]!.answer({ a: 'after' });
  expect(await Promise.all(later)).toEqual(['after', null]);
});

test('a question that fails → those who asked are told, and the next is asked again', async () => {
  const { asked, find } = rehearsed();
  const failing = find('a');
  await turn();
  const next = find('a');
  asked[0]!.fail();
  await expect(failing).rejects.toThrow('away');
  await turn();
  asked[1]!.answer({ a: '1' });
  expect(await next).toBe('1');
});

test('a question the store never answered → those who came meanwhile wait no second time; whoever comes then asks anew', async () => {
  const { asked, find, clock } = rehearsed();
  const silent = find('a');
  await turn();
  const meanwhile = find('b');
  clock.advance(900);
  asked[0]!.fail();
  await expect(silent).rejects.toThrow('away');
  await expect(meanwhile).rejects.toThrow('away');
  expect(asked).toHaveLength(1);
  const then = find('b');
  await turn();
  asked[1]!.answer({ b: '2' });
  expect(await then).toBe('2');
});
