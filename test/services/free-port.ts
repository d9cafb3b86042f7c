import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A loopback port nobody listens on. It lies below the usual ephemeral ranges (32768 and up), because a server
 * that is stopped and started again on an ephemeral port can find it taken by an outgoing connection, and a
 * client retrying a stopped ephemeral port can even connect to itself.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(15_000, 32_000);
    if (await canListen(port)) return port;
  }
  throw new Error('no free port between 15000 and 32000 in 100 attempts');
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
