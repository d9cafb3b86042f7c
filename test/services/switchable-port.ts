import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port on loopback in front of one server and then another, as a virtual address or a proxy is in front of a cluster. */
export interface SwitchablePort {
  port: number;
  /** Where connections go from now on; those that are open are cut. */
  lead(port: number): void;
  /** While frozen nothing goes either way, and connections stay open: as a server that is stuck. */
  freeze(frozen: boolean): void;
  close(): Promise<void>;
}

export async function startSwitchablePort(first: number): Promise<SwitchablePort> {
  let to = first;
  let stuck = false;
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
      if (stuck) socket.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      to = port;
      cut();
    },
    freeze(frozen) {
      stuck = frozen;
      for (const socket of open) frozen ? socket.pause() : socket.resume();
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
