import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../kernel/index.js';
import { createKeyLimits } from './key-limits.js';

const MINUTE_MS = 60_000;

function limits(messagesPerMinute: number) {
  const clock = new ManualClock();
  const { waitBeforeMessage } = createKeyLimits({ clock, maxConnections: 1, messagesPerMinute });
  const burst = (key = 'key') => {
    let count = 0;
    while (waitBeforeMessage(key) === 0) {
      count += 1;
      if (count > 10 * messagesPerMinute) throw new Error('There is no end to it.');
    }
    return count;
  };
  return { clock, burst, waitBeforeMessage };
}

describe("a key's messages", () => {
  test('none for an hour, a day, a month → no more than a minute of them at once', () => {
    const { clock, burst } = limits(10);
    expect(burst()).toBe(10);
    for (const restMinutes of [1, 2, 60, 1440, 43_200]) {
      clock.advance(restMinutes * MINUTE_MS);
      expect([restMinutes, burst()]).toEqual([restMinutes, 10]);
    }
  });

  test('all of a minute at once → one more with every tenth of the next minute', () => {
    const { clock, burst, waitBeforeMessage } = limits(10);
    expect(burst()).toBe(10);
    expect(waitBeforeMessage('key')).toBe(6);
    for (let n = 0; n < 10; n++) {
      clock.advance(5999);
      expect(burst()).toBe(0);
      clock.advance(1);
      expect(burst()).toBe(1);
    }
  });

  test('some of a minute, then a rest → what is left is not added to a full minute', () => {
    const { clock, burst, waitBeforeMessage } = limits(10);
    for (let n = 0; n < 4; n++) expect(waitBeforeMessage('key')).toBe(0);
    clock.advance(5 * MINUTE_MS);
    expect(burst()).toBe(10);
  });

  test('another key has used all of its own → nothing of this one', () => {
    const { burst } = limits(10);
    expect(burst('one')).toBe(10);
    expect(burst('other')).toBe(10);
  });

  test('more keys than are kept while they rest → each still has its one minute', () => {
    const { clock, burst, waitBeforeMessage } = limits(2);
    expect(burst('spent')).toBe(2);
    for (let n = 0; n < 10_001; n++) waitBeforeMessage(`key-${n}`);
    expect(burst('spent')).toBe(0);
    clock.advance(5 * MINUTE_MS);
    expect([burst('spent'), burst('key-1'), burst('new')]).toEqual([2, 2, 2]);
  });
});
