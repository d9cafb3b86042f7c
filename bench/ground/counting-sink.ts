import { createServer, type Socket } from 'node:net';

/**
 * The smallest SMTP server that can tell which emails it took: it reads commands and messages by hand and
 * notes each Message-ID at the final dot, before it answers. Who waits for a MAIL is told when it came.
 */
export interface CountingSink {
  port: number;
  /** Ids of the emails, with how often each was taken. */
  taken: Map<string, number>;
  /** When the next MAIL comes, in milliseconds of the monotonic clock all processes share. */
  nextMail(): Promise<number>;
  stop(): Promise<void>;
}

export async function startCountingSink(): Promise<CountingSink> {
  const taken = new Map<string, number>();
  const sockets = new Set<Socket>();
  let told: (at: number) => void = () => {};
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    // Its peer is killed on purpose.
    socket.on('error', () => socket.destroy());
    converse(socket, {
      onMail: (at) => told(at),
      onTaken: (id) => taken.set(id, (taken.get(id) ?? 0) + 1),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as { port: number }).port,
    taken,
    nextMail: () =>
      new Promise((resolve) => {
        told = resolve;
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function converse(
  socket: Socket,
  { onMail, onTaken }: { onMail(at: number): void; onTaken(id: string): void },
): void {
  let input = '';
  let inMessage = false;
  socket.write('220 sink.example.com ESMTP\r\n');
  socket.on('data', (chunk: Buffer) => {
    const at = Number(process.hrtime.bigint()) / 1e6;
    input += chunk.toString('latin1');
    let answer = '';
    for (;;) {
      if (inMessage) {
        const dot = input.indexOf('\r\n.\r\n');
        if (dot === -1) break;
        onTaken(/^Message-ID: <([^@>]+)@/im.exec(input.slice(0, Math.min(dot, 4096)))?.[1] ?? 'none');
        input = input.slice(dot + 5);
        inMessage = false;
        answer += '250 2.0.0 Ok\r\n';
        continue;
      }
      const end = input.indexOf('\r\n');
      if (end === -1) break;
      const verb = input.slice(0, 4).toUpperCase();
      input = input.slice(end + 2);
      inMessage = verb === 'DATA';
      if (verb === 'MAIL') onMail(at);
      answer += REPLIES[verb] ?? '250 2.0.0 Ok\r\n';
    }
    if (answer) socket.write(answer);
  });
}

const REPLIES: Record<string, string> = {
  EHLO: '250-sink.example.com\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 0\r\n',
  DATA: '354 go on\r\n',
  QUIT: '221 2.0.0 Bye\r\n',
};
