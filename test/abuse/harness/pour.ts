import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Bytes written to a port without waiting for what it says, until it takes no more of them or ends the connection. */
export interface Flood {
  /** The last it said, or that it ended. */
  status: string;
}

export interface PourOptions {
  port: number;
  bytes: string;
  /** Whether what it answers is taken; else it waits in the process that answers. */
  reads: boolean;
  /** A key for SMTP, with which it is signed in before. */
  signIn?: string;
}

/** Nothing has moved for so long: it is done, or waits for us to read. */
const STILL_MS = 700;
const WITHIN_MS = 15_000;

export async function pour({ port, bytes, reads, signIn }: PourOptions): Promise<Flood> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let said = '';
  let received = 0;
  socket.on('error', () => undefined); // cut off; the last that was said tells
  socket.on('data', (data: Buffer) => {
    received += data.length;
    said = data.toString('latin1').trimEnd().split('\r\n').at(-1) ?? '';
  });
  try {
    if (signIn !== undefined) {
      await heard(socket);
      const key = Buffer.from(`\0postrider\0${signIn}`).toString('base64');
      for (const line of ['EHLO a', `AUTH PLAIN ${key}`]) {
        socket.write(`${line}\r\n`);
        await heard(socket);
      }
    }
    if (!reads) socket.pause();
    socket.write(bytes);
    await stillness(socket, () => received);
    return { status: socket.destroyed ? `closed, ${said}`.slice(0, 60) : said.slice(0, 60) || 'nothing' };
  } finally {
    socket.destroy();
  }
}

async function heard(socket: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    socket.once('data', () => resolve());
    socket.once('close', () => resolve());
  });
}

async function stillness(socket: Socket, received: () => number): Promise<void> {
  const until = performance.now() + WITHIN_MS;
  let before = '';
  let since = performance.now();
  while (performance.now() < until && !socket.destroyed) {
    const now = `${received()} ${socket.writableLength}`;
    if (now !== before) since = performance.now();
    if (performance.now() - since > STILL_MS) return;
    before = now;
    await pause(50);
  }
}
