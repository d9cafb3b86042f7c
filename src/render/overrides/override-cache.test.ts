import { describe, expect, it } from 'vitest';
import { ManualClock, silentLogger } from '../../kernel/index.js';
import type { Database, Queryable } from '../../store/index.js';
import { createOverrideCache } from './override-cache.js';

/** A store of one published override whose revision can be raised, and which can stop answering. */
function standIn(kind: Database['kind'] = 'postgres') {
  const state = { revision: 1, subject: 'first', id: 'a', asked: [] as string[], isStuck: false };
  const queryable: Queryable = {
    async query<Row>(statement: { text: string } | string) {
      const text = typeof statement === 'string' ? statement : statement.text;
      state.asked.push(text);
      if (state.isStuck) await new Promise(() => undefined);
      const key = { id: state.id, companyId: 'acme', type: 'x', lang: 'pt-BR' };
      const content = { id: state.id, subject: state.subject, htmlContent: '', textContent: null };
      const row = text.includes('revision')
        ? { revision: state.revision }
        : text.includes('any(')
          ? content
          : key;
      return { rows: [row] as Row[], rowCount: 1 };
    },
  };
  return { state, queryable, database: { ...queryable, kind } as Database };
}

function open(kind?: Database['kind']) {
  const clock = new ManualClock();
  const { state, database } = standIn(kind);
  const cache = createOverrideCache({ database, clock, logger: silentLogger });
  const subject = async (tx?: Queryable) => (await cache.current(tx)).find('acme', 'x', 'pt-br')?.subject;
  return { clock, state, subject };
}

describe('the cache of overrides', () => {
  it('asked again at once → reads nothing; asked later → one small row', async () => {
    const { clock, state, subject } = open();
    expect(await subject()).toBe('first');
    expect(state.asked).toHaveLength(3);
    expect(await subject()).toBe('first');
    expect(state.asked).toHaveLength(3);
    clock.advance(900);
    expect(await subject()).toBe('first');
    expect(state.asked.slice(3)).toEqual([expect.stringContaining('revision')]);
  });

  it('something published → seen within a second', async () => {
    const { clock, state, subject } = open();
    await subject();
    Object.assign(state, { revision: 2, subject: 'second', id: 'b' });
    clock.advance(900);
    expect(await subject()).toBe('second');
  });

  it('a store that does not answer a transaction in time → what was read before, or an error where nothing was', async () => {
    const { clock, state, subject } = open();
    const { queryable } = standIn();
    await subject();
    clock.advance(900);
    state.isStuck = true;
    expect(await subject(queryable)).toBe('first');
    const other = open();
    other.state.isStuck = true;
    await expect(other.subject(queryable)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  it('in a transaction → read over a connection of its own; on the embedded store over the transaction', async () => {
    const postgres = open();
    const tx = standIn();
    await postgres.subject(tx.queryable);
    expect([postgres.state.asked.length, tx.state.asked.length]).toEqual([3, 0]);
    const embedded = open('pglite');
    await embedded.subject(tx.queryable);
    expect([embedded.state.asked.length, tx.state.asked.length]).toEqual([0, 3]);
  });
});
