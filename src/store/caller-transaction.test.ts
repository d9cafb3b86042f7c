import { describe, expect, test } from 'vitest';
import { callerTransaction } from './caller-transaction.js';

describe("the caller's transaction", () => {
  test('pg’s way → text and values passed, never a name, rows returned', async () => {
    const seen: unknown[] = [];
    const tx = callerTransaction({
      async query(...args: unknown[]) {
        seen.push(args);
        return { rows: [{ n: 1 }], rowCount: 1 };
      },
    });
    expect(await tx.query({ name: 'prepared', text: 'select $1' }, [1])).toEqual({
      rows: [{ n: 1 }],
      rowCount: 1,
    });
    expect(await tx.query('select 1')).toEqual({ rows: [{ n: 1 }], rowCount: 1 });
    expect(seen).toEqual([
      ['select $1', [1]],
      ['select 1', []],
    ]);
  });

  test('postgres.js’s way → unsafe is used although it is a function with much else on it', async () => {
    const sql = Object.assign(() => {}, {
      unsafe: async (text: string, values: unknown[]) => [{ text, values }],
      query: async () => {
        throw new Error('not this one');
      },
    });
    expect(await callerTransaction(sql).query('select $1', ['x'])).toEqual({
      rows: [{ text: 'select $1', values: ['x'] }],
      rowCount: 1,
    });
  });

  test('values → a copy, so that the caller’s driver cannot change ours', async () => {
    const values = Object.freeze([1, 2]);
    const tx = callerTransaction({
      async query(_text: string, given: unknown[]) {
        given.push(3);
        return { rows: [] };
      },
    });
    await expect(tx.query('select 1', values)).resolves.toEqual({ rows: [], rowCount: 0 });
  });

  test('its error → passed on as it is', async () => {
    const failure = Object.assign(new Error('duplicate'), { code: '23505' });
    const tx = callerTransaction({ query: () => Promise.reject(failure) });
    await expect(tx.query('select 1')).rejects.toBe(failure);
  });

  test.each([undefined, null, 7, 'sql', {}, { query: 1 }])('%j → UNSUPPORTED_TRANSACTION', (tx) => {
    expect(() => callerTransaction(tx)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_TRANSACTION', field: 'tx' }),
    );
  });

  test.each([undefined, null, {}, { rows: 1 }])(
    'an answer of %j → UNSUPPORTED_TRANSACTION',
    async (answer) => {
      await expect(callerTransaction({ query: async () => answer }).query('select 1')).rejects.toMatchObject({
        code: 'UNSUPPORTED_TRANSACTION',
      });
    },
  );
});
