import { describe, expect, test, vi } from 'vitest';
import { client, ground, MESSAGE, signedIn } from './door-clients.fixture.js';
import { createReceiver } from './receive-message.js';
import { TOKEN } from './smtp-door.fixture.js';

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

describe('one address opens every connection it can and does not sign in', () => {
  test('twice as many as there are → another address signs in and submits; the first is told why', async () => {
    const at = await ground({ maxConnections: 20 });
    const silent = await Promise.all(Array.from({ length: 40 }, () => client(at)));
    const greetings = await Promise.all(silent.map((one) => one.reply()));
    expect(greetings.filter((text) => text.startsWith('220 '))).toHaveLength(4);
    expect(greetings.filter((text) => /^421 4\.7\.0 .*not signed in/.test(text))).toHaveLength(36);
    const other = await client(at, '127.0.0.2');
    expect(await other.signIn(TOKEN)).toMatch(/^235 /);
    expect(await other.submit(MESSAGE)).toMatch(/^250 /);
  });

  test('signed in or gone → its place is free; what has signed in is not counted', async () => {
    const at = await ground({
      maxConnections: 50,
      maxUnauthenticatedPerAddress: 2,
      maxConnectionsPerKey: 10,
    });
    for (let n = 0; n < 5; n++) await signedIn(at);
    const waiting = [await client(at), await client(at)];
    for (const one of waiting) expect(await one.reply()).toMatch(/^220 /);
    expect(await (await client(at)).reply()).toMatch(/^421 4\.7\.0 /);
    waiting[0]!.close();
    await vi.waitFor(async () => expect(await (await client(at)).reply()).toMatch(/^220 /), 5000);
  });
});

describe('memory for messages', () => {
  const MB = Buffer.from(`\r\n\r\n${'x'.repeat(1024 ** 2 - 4)}`);
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
    const received = receiver.receive(huge.stream, { key: 'a' });
    await huge.allSent;
    huge.end();
    await expect(received).rejects.toMatchObject({ responseCode: 552 });
  });

  test('more at once than all may hold → 451 for the last; the others go on, and then there is room again', async () => {
    const receiver = createReceiver(64 * 1024 ** 2);
    const held = Array.from({ length: 4 }, () => flood(60));
    const received = held.map((one, n) => receiver.receive(one.stream, { key: `key-${n}` }));
    await Promise.all(held.map((one) => one.allSent));
    const late = flood(40);
    const refused = receiver.receive(late.stream, { key: 'late' });
    await late.allSent;
    late.end();
    await expect(refused).rejects.toMatchObject({ responseCode: 451 });
    for (const one of held) one.end();
    for (const one of received) {
      const { size, letGo } = await one;
      expect(size).toBe(60 * 1024 ** 2);
      letGo();
    }
    const next = flood(40);
    const taken = receiver.receive(next.stream, { key: 'late' });
    next.end();
    expect((await taken).takeRaw().length).toBe(40 * 1024 ** 2);
  });
});
