import { describe, expect, test, vi } from 'vitest';
import { client, ground, MESSAGE, signedIn } from './door-clients.fixture.js';
import { createReceiver } from './receive-message.js';

/** What keeps slow and large messages from taking the door: deadlines that no trickle moves, and memory for so many bytes. */
describe('a client that takes its time', () => {
  test('bytes that drip for longer than a message may take → 421, nothing accepted, its place is free again', async () => {
    const at = await ground({ maxConnectionsPerKey: 1 });
    const one = await signedIn(at);
    await one.say('MAIL FROM:<app@example.com>');
    await one.say('RCPT TO:<reader@example.net>');
    expect(await one.say('DATA')).toMatch(/^354 /);
    const dripping = setInterval(() => one.write('x'), 20);
    at.clock.advance(9 * 60_000);
    one.write(`${MESSAGE}\r\n`);
    at.clock.advance(61_000);
    expect(await one.reply()).toMatch(/^421 4\.4\.2 /);
    expect(await one.reply()).toBe('(closed)');
    clearInterval(dripping);
    expect(at.accepted).toEqual([]);
    await vi.waitFor(async () => expect(await (await signedIn(at)).submit(MESSAGE)).toMatch(/^250 /), 5000);
  }, 20_000);

  test('a minute without signing in, however it talks → 421; one that has signed in may wait', async () => {
    const at = await ground();
    const waiting = await signedIn(at);
    const one = await client(at);
    await one.reply();
    await one.say('EHLO test');
    at.clock.advance(61_000);
    expect(await one.reply()).toMatch(/^421 4\.4\.2 /);
    expect(await waiting.submit(MESSAGE)).toMatch(/^250 /);
  }, 20_000);
});

describe('memory for messages', () => {
  const MB = Buffer.alloc(1024 ** 2, 'x');
  /** So many megabytes, and no end before it is told. */
  function flood(megabytes: number) {
    let end = () => {};
    let sent = () => {};
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const allSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    async function* stream() {
      for (let n = 0; n < megabytes; n++) yield MB;
      sent();
      await over;
    }
    return { stream: stream() as never, allSent, end: () => end() };
  }

  test('a message of a hundred times the limit → read to its end, none of it kept, 552', async () => {
    const receiver = createReceiver(1024 ** 2);
    const huge = flood(100);
    const received = receiver.receive(huge.stream);
    await huge.allSent;
    huge.end();
    await expect(received).rejects.toMatchObject({ responseCode: 552 });
  });

  test('more at once than all may hold → 451 for the last; the others go on, and then there is room again', async () => {
    const receiver = createReceiver(64 * 1024 ** 2);
    const held = Array.from({ length: 4 }, () => flood(60));
    const received = held.map((one) => receiver.receive(one.stream));
    await Promise.all(held.map((one) => one.allSent));
    const late = flood(40);
    const refused = receiver.receive(late.stream);
    await late.allSent;
    late.end();
    await expect(refused).rejects.toMatchObject({ responseCode: 451 });
    for (const one of held) one.end();
    for (const one of received) {
      const { raw, letGo } = await one;
      expect(raw.length).toBe(60 * 1024 ** 2);
      letGo();
    }
    const next = flood(40);
    const taken = receiver.receive(next.stream);
    next.end();
    expect((await taken).raw.length).toBe(40 * 1024 ** 2);
  });
});
