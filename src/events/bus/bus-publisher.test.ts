import { afterEach, expect, test } from 'vitest';
import { PostriderError, silentLogger } from '../../kernel/index.js';
import type { Database } from '../../store/index.js';
import { createBusPublisher } from './bus-publisher.js';
import type { EventBus } from './create-event-bus.js';

let stop: () => Promise<void> = async () => {};
afterEach(() => stop());

/** A publisher over rows in memory, and a broker that takes what it is told to. */
function ground(ids: readonly string[], takes: (id: string) => boolean) {
  const waiting = new Map(ids.map((id) => [id, { leased: false }]));
  const published: string[] = [];
  let rounds = 0;
  const database = {
    async query(statement: string | { text: string }, values: unknown[] = []) {
      const text = typeof statement === 'string' ? statement : statement.text;
      const named = values[0] as readonly string[];
      if (text.includes('delete from postrider.bus_events')) for (const id of named) waiting.delete(id);
      if (text.includes('set leased_until = null'))
        for (const id of named) if (waiting.has(id)) waiting.set(id, { leased: false });
      if (!text.includes('for update skip locked')) return { rows: [], rowCount: 0 };
      rounds += 1;
      const free = [...waiting].filter(([, row]) => !row.leased).map(([id]) => id);
      for (const id of free) waiting.set(id, { leased: true });
      const rows = free.map((id) => ({
        id,
        tenant: 'acme',
        type: 'SENT',
        payload: '{"created_at":"now","data":{}}',
      }));
      return { rows, rowCount: rows.length };
    },
  } as unknown as Database;
  const bus = {
    async start() {},
    async stop() {},
    async publish({ id }: { id: string }) {
      if (!takes(id)) throw new PostriderError('BUS_UNAVAILABLE', `The broker did not take ${id}.`);
      published.push(id);
      return id;
    },
  } as unknown as EventBus;
  const publisher = createBusPublisher({
    ...{ database: async () => database, bus, isHeld: async () => false, events: ['SENT'] },
    ...{ complete: (payload: Record<string, unknown>) => payload, timeoutMs: 1000, logger: silentLogger },
  });
  stop = () => publisher.stop({ deadlineMs: 1000 });
  return { publisher, waiting, published, rounds: () => rounds };
}

const IDS = ['a', 'b', 'c', 'd', 'e'];

test.each([
  ['the first', ['a']],
  ['the last', ['e']],
  ['one in the middle', ['c']],
  ['all but one', ['a', 'b', 'c', 'e']],
  ['all', IDS],
])('%s refused by the broker → those stay and come again, the others go', async (_case, refused) => {
  const broken = new Set(refused);
  const { publisher, waiting, published } = ground(IDS, (id) => !broken.has(id));
  await publisher.start();
  const taken = IDS.filter((id) => !broken.has(id));
  await expect.poll(() => [...published]).toEqual(taken);
  await expect.poll(() => [...waiting.values()].every(({ leased }) => !leased)).toBe(true);
  expect([...waiting.keys()]).toEqual(refused);
  broken.clear();
  await expect.poll(() => [...published].sort(), { timeout: 10_000 }).toEqual(IDS);
  await expect.poll(() => [...waiting.keys()]).toEqual([]);
});
