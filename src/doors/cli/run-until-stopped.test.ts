import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { PostriderError } from '../../kernel/index.js';
import { cliForTest } from './cli.fixture.js';

/** Resolves when the application has been asked to serve. */
function serving() {
  let started = () => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  return { running, serve: async () => started() };
}

describe('serve', () => {
  it('SIGTERM → stops with the configured deadline and exits 0', async () => {
    const { running, serve } = serving();
    const cli = cliForTest({ application: { serve }, env: { POSTRIDER_STOP_DEADLINE: '7s' } });
    const exit = cli.run('serve');
    await running;
    cli.signals.emit('SIGTERM');
    expect(await exit).toBe(0);
    expect(cli.calls).toEqual([
      ['open'],
      ['serve', { roles: ['api', 'worker', 'scheduler'], hold: false }],
      ['stop', { deadlineMs: 7000 }],
    ]);
    expect(cli.signals.listenerCount('SIGTERM')).toBe(0);
    expect(cli.exits).toEqual([]);
  });
  it.each([
    [[], { EMAIL_WORKER_ENABLED: 'false' }, { roles: ['api', 'scheduler'], hold: false }],
    [['--roles', 'worker'], { EMAIL_WORKER_ENABLED: 'false' }, { roles: ['worker'], hold: false }],
    [['--roles', 'worker, api', '--hold'], {}, { roles: ['worker', 'api'], hold: true }],
  ])('serve %j with %j → %j', async (args, env, options) => {
    const { running, serve } = serving();
    const cli = cliForTest({ application: { serve }, env });
    const exit = cli.run('serve', ...args);
    await running;
    cli.signals.emit('SIGINT');
    expect(await exit).toBe(0);
    expect(cli.calls[1]).toEqual(['serve', options]);
  });
  it('a second signal while stopping → ends at once; the echo of one Ctrl-C does not', async () => {
    const { running, serve } = serving();
    let release = () => {};
    const asked = new (class extends EventTarget {})();
    const stop = () =>
      new Promise<void>((resolve) => {
        release = resolve;
        asked.dispatchEvent(new Event('stop'));
      });
    const cli = cliForTest({ application: { serve, stop } });
    const exit = cli.run('serve');
    await running;
    const stopping = once(asked, 'stop');
    cli.signals.emit('SIGINT');
    await stopping;
    cli.signals.emit('SIGINT');
    expect(cli.exits).toEqual([]);
    cli.clock.advance(301);
    cli.signals.emit('SIGINT');
    cli.signals.emit('SIGTERM');
    expect(cli.exits).toEqual([130, 143]);
    release();
    expect(await exit).toBe(0);
  });
  it('a signal while the store is still opening → ends without waiting for it', async () => {
    let opening = () => {};
    const reached = new Promise<void>((resolve) => {
      opening = resolve;
    });
    const cli = cliForTest({
      opening: () => {
        opening();
        return new Promise(() => {});
      },
    });
    const exit = cli.run('serve');
    await reached;
    cli.signals.emit('SIGTERM');
    expect(await exit).toBe(0);
    expect(cli.exits).toEqual([0]);
  });
  it('a signal while starting → stops; a start that then fails is told', async () => {
    let fail = (_: Error) => {};
    let began = () => {};
    const starting = new Promise<void>((resolve) => {
      began = resolve;
    });
    const cli = cliForTest({
      application: {
        serve: () =>
          new Promise((_, reject) => {
            fail = reject;
            began();
          }),
        stop: async () => fail(new Error('gone')),
      },
    });
    const exit = cli.run('serve');
    await starting;
    cli.signals.emit('SIGTERM');
    expect(await exit).toBe(0);
    expect(cli.notes).toContain('The start failed while stopping: gone');
  });
  it('the start fails → closed, exit 1, no listener left', async () => {
    const fault = new PostriderError('STORE_NOT_MIGRATED', 'old');
    const cli = cliForTest({ application: { serve: () => Promise.reject(fault) } });
    expect(await cli.run('serve')).toBe(1);
    expect(cli.calls.at(-1)).toEqual(['stop', { deadlineMs: 0 }]);
    expect(cli.signals.listenerCount('SIGINT')).toBe(0);
  });
  it('HOST beyond loopback without a key → exit 2, nothing opened', async () => {
    const cli = cliForTest({ env: { HOST: '0.0.0.0' } });
    expect(await cli.run('serve')).toBe(2);
    expect(cli.calls).toEqual([]);
    expect(cli.notes[0]).toContain('POSTRIDER_API_KEY');
  });
});

describe('dev', () => {
  it.each([
    [true, 'Starting; the first start takes a few seconds …'],
    [false, 'Starting …'],
  ])('the store has yet to be made: %s → %s', async (fresh, said) => {
    const cli = cliForTest({ application: { isFresh: () => fresh } });
    const exit = cli.run('dev');
    await expect.poll(() => cli.out.length).toBe(6);
    expect(cli.notes).toEqual([said]);
    cli.signals.emit('SIGINT');
    expect(await exit).toBe(0);
  });
  it('started → tells where inbox and dashboard are; needs neither key nor SMTP server', async () => {
    const cli = cliForTest({ env: { HOST: '0.0.0.0', EMAIL_MODE: 'smtp' } });
    const exit = cli.run('dev');
    await expect.poll(() => cli.out.length).toBe(6);
    expect(cli.out.slice(0, 4)).toEqual([
      'Postrider is running.',
      '  inbox      http://127.0.0.1:3400/',
      '  dashboard  http://127.0.0.1:3400/dashboard/  open on this machine, nobody signs in',
      '  smtp       127.0.0.1:1025',
    ]);
    expect(cli.out.at(-1)).toContain('curl -X POST http://127.0.0.1:3400/v1/email/send');
    cli.signals.emit('SIGINT');
    expect(await exit).toBe(0);
  });
});
