import { once } from 'node:events';
import { connect } from 'node:net';

/**
 * The yardstick: ready messages over pipelined connections with nothing around them: no database, no
 * composing, no timers, no classification. Everything Postrider adds is what it lacks against this.
 */
export async function runBareLoop(options: {
  port: number;
  connections: number;
  messages: readonly Buffer[];
  total: number;
  /** So many more go first and are not counted. */
  warm: number;
}): Promise<{ seconds: number }> {
  let left = options.total + options.warm;
  let started = 0;
  const take = (): Buffer | null => {
    if (left === options.total) started = performance.now();
    return left-- > 0 ? options.messages[left % options.messages.length]! : null;
  };
  await Promise.all(Array.from({ length: options.connections }, () => sendAll(options.port, take)));
  return { seconds: (performance.now() - started) / 1000 };
}

const ENVELOPE = 'MAIL FROM:<noreply@example.com>\r\nRCPT TO:<someone@example.com>\r\nDATA\r\n';
const DOT = Buffer.from('.\r\n');

async function sendAll(port: number, take: () => Buffer | null): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  let message: Buffer | null = null;
  let said = '';
  const next = () => {
    message = take();
    socket.write(message ? ENVELOPE : 'QUIT\r\n');
  };
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString('latin1');
    let end = said.indexOf('\r\n');
    for (; end !== -1; end = said.indexOf('\r\n')) {
      const line = said.slice(0, end);
      said = said.slice(end + 2);
      if (line.startsWith('220')) socket.write('EHLO bench.example.com\r\n');
      else if (line.startsWith('250 ') && message === null) next();
      else if (line.startsWith('354') && message) {
        // Message, dot and the next envelope leave in one write.
        const following = take();
        socket.cork();
        socket.write(message);
        socket.write(DOT);
        socket.write(following ? ENVELOPE : 'QUIT\r\n');
        socket.uncork();
        message = following ?? DONE;
      } else if (line.startsWith('4') || line.startsWith('5')) socket.destroy(new Error(line));
    }
  });
  await once(socket, 'close');
}

const DONE = Buffer.alloc(0);
