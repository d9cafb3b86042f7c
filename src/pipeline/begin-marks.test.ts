import { describe, expect, test } from 'vitest';
import { silentLogger } from '../kernel/index.js';
import type { ClaimRef } from '../outbox/index.js';
import { BeginMarks } from './begin-marks.js';

const claim = (name: string) => ({ id: name, token: 1 });

describe('marks of attempts that begin', () => {
  const written: Array<{ ids: string[]; atMostOnce: boolean }> = [];
  function marksOn(answer: (ids: string[]) => Promise<string[]> = async (ids) => ids) {
    written.length = 0;
    const ledger = {
      async begin(claims: readonly ClaimRef[], { atMostOnce }: { atMostOnce: boolean }) {
        const ids = claims.map(({ id }) => id);
        written.push({ ids, atMostOnce });
        return new Set(await answer(ids));
      },
    };
    return new BeginMarks(ledger, silentLogger);
  }
  const repeatable = { atMostOnce: false };

  test('asked for in one turn → one statement', async () => {
    const marks = marksOn();
    const all = ['a', 'b', 'c'].map((name) => marks.mark(claim(name), repeatable));
    expect(await Promise.all(all)).toEqual([true, true, true]);
    expect(written).toEqual([{ ids: ['a', 'b', 'c'], atMostOnce: false }]);
  });

  test('asked for while a statement is written → the next has them all', async () => {
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    const marks = marksOn(async (ids) => {
      await held;
      return ids;
    });
    const first = marks.mark(claim('a'), repeatable);
    await new Promise((resolve) => setImmediate(resolve));
    const behind = ['b', 'c'].map((name) => marks.mark(claim(name), repeatable));
    open();
    expect(await Promise.all([first, ...behind])).toEqual([true, true, true]);
    expect(written.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c']]);
  });

  test('one must not repeat → a statement of its own, for which the others do not wait', async () => {
    const marks = marksOn((ids) => (ids[0] === 'once' ? new Promise(() => {}) : Promise.resolve(ids)));
    void marks.mark(claim('once'), { atMostOnce: true });
    expect(await marks.mark(claim('a'), repeatable)).toBe(true);
    expect(written).toHaveLength(2);
  });

  test('a claim is another’s by now → it alone must not be sent', async () => {
    const marks = marksOn(async (ids) => ids.filter((id) => id !== 'b'));
    const all = ['a', 'b'].map((name) => marks.mark(claim(name), repeatable));
    expect(await Promise.all(all)).toEqual([true, false]);
  });

  test('the database is away → nothing may be sent, and the next are tried anew', async () => {
    let away = true;
    const marks = marksOn(async (ids) => {
      if (away) throw new Error('away');
      return ids;
    });
    expect(await marks.mark(claim('a'), repeatable)).toBe(false);
    away = false;
    expect(await marks.mark(claim('b'), repeatable)).toBe(true);
  });
});
