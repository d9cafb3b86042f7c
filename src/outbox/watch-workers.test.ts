import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, silentLogger } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { WorkerWatch } from './watch-workers.js';

/** A server whose clock, epoch and sessions are set by hand, with one worker beside the one that looks. */
const OTHER = 2;

describe('watching workers', () => {
  let clock: ManualClock;
  let server: {
    epoch: string;
    clock: number;
    session: boolean;
    away: boolean;
    worker: { beat: number; epoch: string | null; shared: boolean; ended: boolean };
  };
  let watch: WorkerWatch;

  const database = {
    kind: 'postgres',
    async query(statement: { name: string }) {
      if (server.away) throw new Error('away');
      return { rows: answer(statement.name), rowCount: 1 };
    },
  } as unknown as Database;

  function answer(name: string): unknown[] {
    const { worker } = server;
    switch (name) {
      case 'outbox_recognize_epoch':
        return [{ id: server.epoch, marked: null }];
      case 'outbox_watch_workers':
        return [
          {
            ...{ id: OTHER, lease: 1, instance: 'other', beat: String(worker.beat) },
            ...{
              age: server.clock - worker.beat,
              epoch: worker.epoch,
              shared: worker.shared,
              ended: worker.ended,
            },
          },
        ];
      case 'outbox_without_session':
        return server.session ? [] : [{ id: OTHER }];
      default:
        throw new Error(`unexpected ${name}`);
    }
  }

  beforeEach(() => {
    clock = new ManualClock();
    server = {
      ...{ epoch: 'first', clock: 100_000, session: true, away: false },
      worker: { beat: 100_000, epoch: 'first', shared: false, ended: false },
    };
    watch = new WorkerWatch({ database, self: () => 1, clock, logger: silentLogger });
  });

  const pass = (ms: number) => {
    clock.advance(ms);
    server.clock += ms;
  };
  const beat = () => {
    server.worker.beat = server.clock;
  };
  /** Looks twice a second for so long, and returns after how many milliseconds the worker was dead; null: never. */
  async function deadAfter(ms: number, meanwhile: () => void = () => {}): Promise<number | null> {
    for (let at = 0; at <= ms; at += 100) {
      const { dead } = await watch.look();
      if (dead.length > 0) return at;
      pass(100);
      meanwhile();
    }
    return null;
  }
  const died = async () => (await watch.look()).dead[0]?.died;

  it('it beats → alive', async () => {
    expect(await deadAfter(60_000, beat)).toBeNull();
  });

  it('its session is gone → dead 1.2 s after its beat, and it died', async () => {
    await watch.look();
    server.session = false;
    expect(await deadAfter(20_000)).toBe(1200);
    expect(await died()).toBe(true);
  });

  it('it is silent and holds its session → dead after 10 s, and has not died', async () => {
    await watch.look();
    expect(await deadAfter(20_000)).toBe(10_000);
    expect(await died()).toBe(false);
  });

  it('it is silent behind a pooler → dead after 30 s, and it died', async () => {
    server.worker.shared = true;
    server.session = false;
    await watch.look();
    expect(await deadAfter(60_000)).toBe(30_000);
    expect(await died()).toBe(true);
  });

  it.each([3_600_000, -3_600_000])(
    "the server's clock is stepped by %d ms → alive while it beats",
    async (by) => {
      await watch.look();
      server.clock += by;
      expect(await deadAfter(400)).toBeNull();
      expect(await deadAfter(60_000, beat)).toBeNull();
    },
  );

  it("the server's clock is stepped back while it is dead → found all the same", async () => {
    await watch.look();
    server.session = false;
    server.clock -= 3_600_000;
    expect(await deadAfter(20_000)).toBe(1200);
  });

  it('the first look after a step of an hour → its clock is believed for one beat', async () => {
    server.session = false;
    server.clock += 3_600_000;
    expect(await deadAfter(20_000)).toBe(700);
  });

  it('a beat of long ago and a session that is there, at the first look → 10 s all the same', async () => {
    server.clock += 3_600_000;
    expect(await deadAfter(20_000)).toBe(9500);
  });

  it('a new epoch → everyone has the whole 10 s from then on', async () => {
    await deadAfter(8000);
    Object.assign(server, { epoch: 'second', session: false });
    expect(await deadAfter(20_000)).toBe(10_000);
    expect(await died()).toBe(false);
  });

  it('a new epoch in which it has its session again → 1.2 s', async () => {
    await watch.look();
    server.epoch = 'second';
    await watch.look();
    server.worker.epoch = 'second';
    beat();
    await watch.look();
    server.session = false;
    expect(await deadAfter(20_000)).toBe(1200);
  });

  it('the database is away for a minute, and with it all sessions → those that come back within seconds live', async () => {
    await watch.look();
    Object.assign(server, { away: true, session: false });
    for (let i = 0; i < 10; i++) {
      await expect(watch.look()).rejects.toThrow('away');
      pass(6000);
    }
    server.away = false;
    expect(await deadAfter(5000)).toBeNull();
    Object.assign(server, { session: true });
    expect(await deadAfter(20_000, beat)).toBeNull();
  });

  it('the database is away for a minute, and it does not come back → dead after the rest of 10 s, and it died', async () => {
    await watch.look();
    Object.assign(server, { away: true, session: false });
    await expect(watch.look()).rejects.toThrow('away');
    pass(60_000);
    server.away = false;
    expect(await deadAfter(20_000)).toBe(7000);
    expect(await died()).toBe(true);
  });

  it('older code that knows no epoch → judged by its beat alone', async () => {
    server.worker.epoch = null;
    server.session = false;
    await watch.look();
    expect(await deadAfter(20_000)).toBe(10_000);
  });

  it('it ended in order and left rows behind → taken over at once, and it did not die', async () => {
    server.worker.ended = true;
    expect((await watch.look()).dead).toEqual([
      { id: OTHER, lease: 1, beat: null, epoch: 'first', died: false },
    ]);
  });

  it('its session is gone → reported as dying, with the time that is left', async () => {
    await watch.look();
    server.session = false;
    pass(500);
    expect((await watch.look()).dying).toEqual([{ instance: 'other', inMs: 700 }]);
  });
});
