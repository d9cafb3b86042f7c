import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client that says what it is told to and waits for whole replies; a connection that ends is the reply `(closed)`. */
export interface SmtpClient {
  say(line: string): Promise<string>;
  /** Writes as it stands, as fast as the other side takes it. */
  write(bytes: Buffer): Promise<void>;
  reply(): Promise<string>;
  close(): void;
}

export async function openSmtp(port: number): Promise<SmtpClient> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let received = '';
  let ended = false;
  let wake = () => {};
  const changed = () => wake();
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    changed();
  });
  socket.on('error', () => changed());
  socket.on('close', () => {
    ended = true;
    changed();
  });
  const reply = async (): Promise<string> => {
    for (;;) {
      const whole = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(received);
      if (whole) {
        received = received.slice(whole[0].length);
        return whole[0].trimEnd();
      }
      if (ended) return '(closed)';
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  await reply();
  return {
    reply,
    write: (bytes) => writeAll(socket, bytes),
    async say(line) {
      await writeAll(socket, Buffer.from(`${line}\r\n`));
      return reply();
    },
    close: () => socket.destroy(),
  };
}

/** Signed in with a key, and ready for a message. */
export async function signIn(port: number, key: string): Promise<SmtpClient> {
  const client = await openSmtp(port);
  await client.say('EHLO abuse');
  await client.say(`AUTH PLAIN ${Buffer.from(`\0postrider\0${key}`).toString('base64')}`);
  return client;
}

/** A whole message over a connection of its own; the last reply. */
export async function submit(port: number, key: string, message: Buffer): Promise<string> {
  const client = await signIn(port, key);
  try {
    await client.say('MAIL FROM:<app@example.com>');
    await client.say('RCPT TO:<reader@example.net>');
    const ready = await client.say('DATA');
    if (!ready.startsWith('354')) return ready;
    await client.write(message);
    await client.write(Buffer.from('\r\n.\r\n'));
    return await client.reply();
  } finally {
    client.close();
  }
}

async function writeAll(socket: Socket, bytes: Buffer): Promise<void> {
  if (socket.destroyed || socket.write(bytes)) return;
  await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
}
