import { createServer, type Socket } from 'node:net';

/** An SMTP server that takes every message but those to `dead@…`, and keeps none; cheap, since it shares the machine. */
export interface QuietSink {
  port: number;
  /** Messages taken for an address. */
  taken(address: string): number;
  stop(): Promise<void>;
}

export async function startQuietSink(): Promise<QuietSink> {
  const taken = new Map<string, number>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    converse(socket, (address) => taken.set(address, (taken.get(address) ?? 0) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    taken: (address) => taken.get(address) ?? 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function converse(socket: Socket, took: (address: string) => void): void {
  let pending = '';
  let inMessage = false;
  let recipients: string[] = [];
  socket.write('220 sink\r\n');
  socket.on('data', (chunk) => {
    pending += chunk.toString('latin1');
    for (;;) {
      if (inMessage) {
        const end = pending.startsWith('.\r\n') ? 0 : pending.indexOf('\r\n.\r\n');
        if (end < 0) {
          pending = pending.slice(-4); // of a message only its end is looked for
          return;
        }
        pending = pending.slice(end === 0 ? 3 : end + 5);
        inMessage = false;
        for (const address of recipients) took(address);
        recipients = [];
        socket.write('250 2.0.0 taken\r\n');
      }
      const end = pending.indexOf('\r\n');
      if (end < 0) return;
      const line = pending.slice(0, end);
      pending = pending.slice(end + 2);
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'RCPT') recipients.push(/<([^>]*)>/.exec(line)?.[1] ?? '');
      if (verb === 'RSET') recipients = [];
      inMessage = verb === 'DATA';
      socket.write(
        verb === 'RCPT' && line.includes('<dead@')
          ? '550 5.1.1 dead\r\n'
          : (REPLIES[verb] ?? '250 2.0.0 ok\r\n'),
      );
      if (verb === 'QUIT') return void socket.end();
    }
  });
}

const REPLIES: Record<string, string> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n',
  DATA: '354 go on\r\n',
  QUIT: '221 2.0.0 bye\r\n',
};
