import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A client for tests that sends the bytes it is told to and gives whole replies back. */
export async function rawClient(port: number, localAddress = '127.0.0.1'): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  await once(socket, 'connect');
  return speakOn(socket);
}

export function speakOn(socket: Socket): RawClient {
  let buffer = '';
  let ended = false;
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    buffer += chunk.toString('latin1');
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    ended = true;
    wake();
  });
  const reply = async (): Promise<string> => {
    for (;;) {
      const whole = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\n/.exec(buffer);
      if (whole) {
        buffer = buffer.slice(whole[0].length);
        return whole[0].trimEnd();
      }
      if (ended) return '(closed)';
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    socket,
    reply,
    write: (bytes) => socket.write(bytes, 'latin1'),
    async say(line) {
      socket.write(`${line}\r\n`, 'latin1');
      return reply();
    },
    async signIn(token) {
      await reply();
      await this.say('EHLO test');
      return this.say(`AUTH PLAIN ${Buffer.from(`\0postrider\0${token}`).toString('base64')}`);
    },
    async submit(message, to = ['reader@example.net']) {
      await this.say('MAIL FROM:<app@example.com>');
      for (const address of to) await this.say(`RCPT TO:<${address}>`);
      await this.say('DATA');
      socket.write(`${message}\r\n.\r\n`, 'latin1');
      return reply();
    },
    close: () => socket.destroy(),
  };
}

export interface RawClient {
  socket: Socket;
  reply(): Promise<string>;
  write(bytes: string): void;
  say(line: string): Promise<string>;
  signIn(token: string): Promise<string>;
  submit(message: string, to?: string[]): Promise<string>;
  close(): void;
}
