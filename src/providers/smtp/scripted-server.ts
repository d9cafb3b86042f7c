import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * A server for tests that says exactly what its script says, byte for byte. The n-th connection runs
 * the n-th script, further ones the last. A script that ends leaves its connection open.
 */
export async function scriptedServer(...scripts: Script[]): Promise<ScriptedServer> {
  const peers: Peer[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    const peer = new Peer(socket);
    peers.push(peer);
    const script = scripts[Math.min(peers.length, scripts.length) - 1];
    script?.(peer).catch((error: unknown) => {
      if (error !== CLOSED) peer.failures.push(error);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    peers,
    async stop() {
      for (const peer of peers) peer.drop();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      const failures = peers.flatMap((peer) => peer.failures);
      if (failures.length > 0) throw failures[0];
    },
  };
}

export type Script = (peer: Peer) => Promise<void>;

export interface ScriptedServer {
  port: number;
  peers: Peer[];
  stop(): Promise<void>;
}

const CLOSED = Symbol('closed by the client');

export class Peer {
  /** Every byte received, and how it was cut. */
  readonly chunks: string[] = [];
  readonly failures: unknown[] = [];
  readonly closed: Promise<void>;
  private buffer = '';
  private ended = false;
  private wake: (() => void) | undefined;

  constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.chunks.push(chunk.toString('latin1'));
      this.buffer += chunk.toString('latin1');
      this.wake?.();
    });
    // The client may end a connection in any way; the script then ends too.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) =>
      socket.on('close', () => {
        this.ended = true;
        this.wake?.();
        resolve();
      }),
    );
  }

  get received(): string {
    return this.chunks.join('');
  }

  say(...lines: string[]): void {
    this.raw(`${lines.join('\r\n')}\r\n`);
  }

  raw(bytes: string): void {
    if (!this.socket.destroyed) this.socket.write(bytes, 'latin1');
  }

  drop(): void {
    this.socket.destroy();
  }

  /** Ends the connection with a RST instead of a FIN. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** The next line, which must match; a client may say QUIT instead, which ends the script. */
  async line(expected: RegExp): Promise<string> {
    const line = await this.until('\r\n');
    if (line === 'QUIT') {
      this.socket.end('221 bye\r\n');
      throw CLOSED;
    }
    if (!expected.test(line)) throw new Error(`expected ${expected}, got ${line}`);
    return line;
  }

  /** Until anything more has arrived, such as the first bytes of a TLS handshake. */
  async moreBytes(): Promise<void> {
    while (this.buffer === '' && !this.ended) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** The message, still dot-stuffed, without the final dot. */
  message(): Promise<string> {
    return this.until('\r\n.\r\n');
  }

  private async until(end: string): Promise<string> {
    for (;;) {
      const at = this.buffer.indexOf(end);
      if (at >= 0) {
        const text = this.buffer.slice(0, at);
        this.buffer = this.buffer.slice(at + end.length);
        return text;
      }
      if (this.ended) throw CLOSED;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

/** Greeting and EHLO with these extensions. */
export async function greet(peer: Peer, ...extensions: string[]): Promise<void> {
  peer.say('220 test ready');
  await peer.line(/^EHLO /);
  const lines = ['test', ...extensions];
  peer.say(...lines.map((line, i) => `250${i === lines.length - 1 ? ' ' : '-'}${line}`));
}

/** Everything up to the 354, each command answered as it comes. */
export async function takeEnvelope(peer: Peer): Promise<void> {
  await peer.line(/^MAIL FROM:/);
  peer.say('250 ok');
  await peer.line(/^RCPT TO:/);
  peer.say('250 ok');
  await peer.line(/^DATA$/);
  peer.say('354 go');
}

/** A whole transaction that succeeds; gives the message back. */
export async function takeMessage(peer: Peer): Promise<string> {
  await takeEnvelope(peer);
  const message = await peer.message();
  peer.say('250 2.0.0 Ok: queued as ABC123');
  return message;
}
