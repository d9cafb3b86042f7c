import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { createSmtpProvider } from './create-smtp-provider.js';

/**
 * A server that at every step may accept, refuse, say 421, hang up or fall silent, and hundreds of emails
 * over few connections, envelopes ahead of their turn among them. Whatever it does: every email ends, none
 * that is said to be sent was not taken, none that is said not to be was, and no connection is counted wrongly.
 */
const CONNECTIONS = 4;

test.each([1, 2, 3])(
  'server in every mood, seed %i → each outcome is true',
  async (seed) => {
    const server = await moodyServer(seed);
    const provider = createSmtpProvider(
      { host: '127.0.0.1', port: server.port, maxConnections: CONNECTIONS, replyTimeoutMs: 1500 },
      { clock: systemClock },
    );
    onTestFinished(async () => {
      await provider.close();
      await server.stop();
    });
    const { signal } = new AbortController();
    const send = async (name: string) => {
      const address = `${name}@example.net`;
      const context = attemptContext({ signal, sendDeadlineAt: systemClock.now() + 20_000 });
      const outcome = await provider.send(outgoingEmail({ to: [{ address }] }), context);
      return { address, outcome };
    };
    const names = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

    for (const { address, outcome } of await Promise.all(names('m', 300).map(send))) {
      const times = server.taken.get(address) ?? 0;
      const certain = outcome.kind === 'sent' ? 1 : outcome.kind === 'unknown' ? times : 0;
      expect({ address, kind: outcome.kind, times }).toEqual({ address, kind: outcome.kind, times: certain });
      expect(times).toBeLessThan(2);
      const named = (outcome.trace.conversation ?? []).filter((line) => line.startsWith('C: RCPT'));
      expect(new Set(named).size).toBeLessThan(2);
      for (const line of named) expect(line).toContain(`<${address}>`);
    }
    server.calm();
    const after = await Promise.all(names('after', 60).map(send));
    expect(after.filter(({ outcome }) => outcome.kind !== 'sent').length).toBeLessThanOrEqual(CONNECTIONS);
    const settled = await Promise.all(names('settled', 60).map(send));
    expect(settled.map(({ outcome }) => outcome.kind)).toEqual(Array(60).fill('sent'));
    expect(server.asked.ahead).toBeGreaterThan(0);
  },
  60_000,
);

async function moodyServer(seed: number) {
  let state = seed * 2_654_435_761;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let calm = false;
  const taken = new Map<string, number>();
  const asked = { ahead: 0 };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The client may end a connection in any way.
    socket.on('error', () => socket.destroy());
    socket.write('220 moody\r\n');
    let input = '';
    let recipient: string | null = null;
    let sender = false;
    let inMessage = false;
    /** True when the connection is over or will never answer again. */
    const mood = (good: string, stage: 'mail' | 'rcpt' | 'data' | 'dot'): boolean | 'refused' => {
      const roll = calm ? 1 : random();
      if (roll < 0.02) return hangUp('');
      if (roll < 0.04) return hangUp('421 4.7.0 not now\r\n');
      if (roll < 0.05) {
        if (stage === 'dot') taken.set(recipient!, (taken.get(recipient!) ?? 0) + 1);
        return hangUp(stage === 'dot' ? '250 2.0.0 taken, bye\r\n' : '');
      }
      if (roll < 0.055 && stage === 'dot') {
        socket.removeAllListeners('data');
        return true;
      }
      if (roll < 0.09) return say('450 4.7.1 later\r\n');
      if (roll < 0.11) return say('550 5.7.1 never\r\n');
      if (stage === 'dot') taken.set(recipient!, (taken.get(recipient!) ?? 0) + 1);
      socket.write(good);
      return false;
    };
    const hangUp = (words: string) => {
      socket.removeAllListeners('data');
      socket.end(words);
      return true;
    };
    const say = (words: string) => {
      socket.write(words);
      return 'refused' as const;
    };
    socket.on('data', (chunk: Buffer) => {
      input += chunk.toString('latin1');
      for (;;) {
        const end = inMessage ? input.indexOf('\r\n.\r\n') : input.indexOf('\r\n');
        if (end < 0) return;
        const line = input.slice(0, end);
        input = input.slice(end + (inMessage ? 5 : 2));
        if (inMessage) {
          inMessage = false;
          if (input.startsWith('MAIL')) asked.ahead += 1;
          if (mood('250 2.0.0 taken\r\n', 'dot') === true) return;
          recipient = null;
          sender = false;
          continue;
        }
        const verb = line.slice(0, 4);
        let result: boolean | 'refused' = false;
        if (verb === 'MAIL') {
          result = mood('250 ok\r\n', 'mail');
          sender = result === false;
        } else if (verb === 'RCPT' && sender) {
          result = mood('250 ok\r\n', 'rcpt');
          if (result === false) recipient = /<(.*)>/.exec(line)![1]!;
        } else if (verb === 'DATA' && recipient !== null) {
          result = mood('354 go\r\n', 'data');
          inMessage = result === false;
        } else if (verb === 'EHLO') socket.write('250-moody\r\n250 PIPELINING\r\n');
        else if (verb === 'RSET') {
          recipient = null;
          sender = false;
          socket.write('250 ok\r\n');
        } else if (verb === 'QUIT') result = hangUp('221 bye\r\n');
        else socket.write('503 5.5.1 bad order\r\n');
        if (result === true) return;
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    taken,
    asked,
    calm: () => {
      calm = true;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
