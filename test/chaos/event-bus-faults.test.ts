import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type BusGround, openBus } from '../contract/ground/open-bus.js';
import {
  describeWith,
  type RabbitServer,
  runRabbitControl,
  startPrivateRabbit,
  waitFor,
} from '../services/index.js';

/** The bus while its broker is killed or takes nothing, and while its own process stops. */
let rabbit: RabbitServer;
let ground: BusGround;

const until = <T>(what: string, condition: () => T | Promise<T>, timeoutMs = 40_000) =>
  waitFor(condition, { what, timeoutMs });

describeWith('rabbitmq')('faults around the bus', () => {
  beforeAll(async () => {
    rabbit = await startPrivateRabbit();
  });
  afterAll(() => rabbit?.remove());
  beforeEach(() => {
    ground = openBus(rabbit.url);
  });
  afterEach(() => ground.close());

  test('broker killed twice under load → what was confirmed is handled, both sides come back by themselves', async () => {
    const handled = new Map<string, number>();
    const hear = ({ id }: { id: string | null }) => {
      handled.set(id!, (handled.get(id!) ?? 0) + 1);
    };
    const bus = await ground.service('load-a', { x: hear }, { timeoutMs: 3000 });
    const confirmed: string[] = [];
    let refused = 0;
    let publishing = true;
    const publisher = (async () => {
      for (let n = 0; publishing; n += 1) {
        const id = `e${n}`;
        for (;;) {
          try {
            await bus.publish({ type: 'x', id });
            break;
          } catch (error) {
            expect(error).toMatchObject({ code: 'BUS_UNAVAILABLE' });
            refused += 1;
          }
        }
        confirmed.push(id);
      }
    })();
    for (const more of [200, 400]) {
      await until('load', () => handled.size > more);
      await rabbit.kill();
      await rabbit.start();
    }
    const before = handled.size;
    await until('life after it', () => handled.size > before + 200);
    publishing = false;
    await publisher;
    await until('all that was confirmed', () => confirmed.every((id) => handled.has(id)));
    expect(refused).toBeLessThan(100);
  });

  test('stop with a deadline → the handler ends its work and the event is not delivered again', async () => {
    let begun = false;
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const bus = await ground.service('stop-a', {
      x: async () => {
        begun = true;
        await finished;
      },
    });
    await bus.publish({ type: 'x' });
    await until('it in hand', () => begun);
    const stopping = bus.stop({ deadlineMs: 10_000 });
    finish();
    await stopping;
    expect(await ground.depth(bus.names.queue)).toBe(0);
  });

  test('the deadline ends first → the event goes to the next process', async () => {
    let begun = false;
    const hanging = await ground.service('cut-a', {
      x: async () => {
        begun = true;
        await new Promise(() => {});
      },
    });
    await hanging.publish({ type: 'x', id: 'again' });
    await until('it in hand', () => begun);
    await hanging.stop({ deadlineMs: 50 });
    const seen: unknown[] = [];
    await ground.service('cut-a', { x: ({ id }, { redelivered }) => void seen.push([id, redelivered]) });
    await until('it again', () => seen.length === 1);
    expect(seen).toEqual([['again', true]]);
  });

  test('broker killed while events wait for their time → all handled when it is back, and none before', async () => {
    const handled = new Map<string, number>();
    const bus = await ground.service('later-a', {
      x: ({ id }) => void handled.set(id!, (handled.get(id!) ?? 0) + 1),
    });
    const from = Date.now();
    const dueMs = 15_000;
    for (let n = 0; n < 20; n++) await bus.publish({ type: 'x', id: `e${n}`, processAfterDelayMs: dueMs });
    await until('them to wait', async () => (await ground.depth(bus.names.delayQueue)) === 20);
    await rabbit.kill();
    await rabbit.start();
    await until('the first', () => handled.size > 0, 120_000);
    expect(Date.now() - from).toBeGreaterThanOrEqual(dueMs);
    await until('all', () => handled.size === 20, 120_000);
  }, 240_000);

  test('stop while an event waits for its time → at once, and the event is in the queue', async () => {
    const bus = await ground.service('early-a', { x: () => 425 });
    await bus.publish({ type: 'x' });
    await until('it in hand', async () => (await ground.depth(bus.names.queue)) === 0);
    const from = performance.now();
    await bus.stop({ deadlineMs: 10_000 });
    expect(performance.now() - from).toBeLessThan(9000);
    await until('it back', async () => (await ground.depth(bus.names.queue)) === 1);
  });

  test('a broker that takes nothing → publish says so in time, and goes on when it does again', async () => {
    const bus = await ground.service('full-a', { x: () => 200 }, { timeoutMs: 1000 });
    await runRabbitControl(rabbit.control, 'set_vm_memory_high_watermark', '0.0000001');
    try {
      // A connection is blocked by its first event after the alarm.
      await until('the alarm', async () => {
        const published = await bus.publish({ type: 'x' }).catch((error: { code?: string }) => error.code);
        return published === 'BUS_UNAVAILABLE';
      });
    } finally {
      await runRabbitControl(rabbit.control, 'set_vm_memory_high_watermark', '0.4');
    }
    await until('it to take events', () => bus.publish({ type: 'x' }));
  });
});
