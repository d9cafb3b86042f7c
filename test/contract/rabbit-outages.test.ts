import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/kernel/index.js';
import {
  describeWith,
  freePort,
  type RabbitServer,
  runRabbitControl,
  startPrivateRabbit,
  waitFor,
} from '../services/index.js';
import { bellOf, openRabbitGround } from './ground/rabbit-ground.js';

describeWith('rabbitmq')('a broker that goes and comes', () => {
  let server: RabbitServer;
  let ground: ReturnType<typeof openRabbitGround>;
  beforeAll(async () => {
    server = await startPrivateRabbit();
    ground = openRabbitGround(server.url);
    await ground.start();
  });
  afterAll(async () => {
    await ground.broker.stop();
    await server.remove();
  });
  const until = <T>(condition: () => T | Promise<T>, what: string) =>
    waitFor(condition, { timeoutMs: 60_000, what });

  it('nobody answers at the start → it starts all the same, says so, and publishing fails at once', async () => {
    const away = openRabbitGround(`amqp://guest:guest@127.0.0.1:${await freePort()}`);
    await away.start();
    expect(away.broker.state()).toMatchObject({
      up: false,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(away.broker.publish([bellOf(newId(Date.now()), 1)])).rejects.toThrow('not connected');
    await away.broker.stop();
  });

  it('killed with a bell unacknowledged, and started → connected again by itself, the bell comes again', async () => {
    const bell = bellOf(newId(Date.now()), 1);
    const times = () => ground.heard.filter(({ id }) => id === bell.id).length;
    await ground.broker.publish([bell]);
    await until(() => times() === 1, 'the bell');
    await server.kill();
    await until(() => !ground.broker.state().up, 'the loss to be noticed');
    await expect(ground.broker.publish([bellOf(newId(Date.now()), 1)])).rejects.toThrow();
    await server.start();
    await until(() => ground.broker.state().up, 'the connection');
    await until(() => times() === 2, 'the bell again');
    // What was heard before the kill can no longer be acknowledged; that is no error.
    await ground.broker.ended(ground.heard.splice(0).map((heard) => ({ bell: heard, settlement: null })));
  });

  it('the broker is short of memory → publishing fails within seconds, acknowledging goes on; later it works', async () => {
    const first = bellOf(newId(Date.now()), 1);
    await ground.broker.publish([first]);
    await until(() => ground.heard.some(({ id }) => id === first.id), 'the bell');
    await runRabbitControl(server.control, 'set_vm_memory_high_watermark', 'absolute', '1');
    const startedAt = performance.now();
    expect(await untilRefused(ground)).toMatch(/did not confirm|takes no messages/);
    expect(performance.now() - startedAt).toBeLessThan(60_000);
    await until(() => /takes no messages/.test(ground.broker.state().message), 'the state to say so');
    expect(ground.broker.state().up).toBe(false);
    await expect(ground.broker.publish([bellOf(newId(Date.now()), 1)])).rejects.toThrow('takes no messages');
    await until(async () => {
      await ground.broker.ended(ground.heard.splice(0).map((bell) => ({ bell, settlement: null })));
      return /email\.send\.queue\t0/.test(await unacked());
    }, 'the acknowledgements to get through');
    await runRabbitControl(server.control, 'set_vm_memory_high_watermark', '0.2');
    await until(() => ground.broker.state().up, 'the broker to take messages');
    const last = bellOf(newId(Date.now()), 1);
    await ground.broker.publish([last]);
    await until(() => ground.heard.some(({ id }) => id === last.id), 'a bell after the alarm');
  });

  it('stopped while the broker blocks → it does not hang', async () => {
    const other = openRabbitGround(server.url);
    await other.start();
    await runRabbitControl(server.control, 'set_vm_memory_high_watermark', 'absolute', '1');
    await untilRefused(other);
    const startedAt = performance.now();
    await other.broker.stop();
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    await runRabbitControl(server.control, 'set_vm_memory_high_watermark', '0.2');
  });

  /** The alarm comes some time after what causes it; until then bells still go through. Returns why one did not. */
  const untilRefused = ({ broker }: Pick<typeof ground, 'broker'>) =>
    until(
      () =>
        broker.publish([bellOf(newId(Date.now()), 1)]).then(
          () => null,
          (error: Error) => error.message,
        ),
      'publishing to fail',
    );

  const unacked = () =>
    runRabbitControl(server.control, '-q', 'list_queues', 'name', 'messages_unacknowledged');
});
