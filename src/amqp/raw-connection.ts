import type { Socket } from 'node:net';
import type { Connection, ConnectionOptions } from 'rabbitmq-client';
import { RAW_HEADER } from './raw-message.js';

/**
 * A connection of rabbitmq-client that hands over messages as the bytes they are. The client itself parses JSON of any
 * depth by its content type, decodes text that is not UTF-8, follows nested headers until the stack ends, and closes
 * the connection over what it cannot decode; one message then stops every consumer. Here every content header on its
 * way to the client is replaced by one that holds the original bytes in a single header (docs/decisions/0015).
 */
export type { Channel, Connection, Consumer, Envelope, Publisher } from 'rabbitmq-client';

export async function openRawConnection(options: ConnectionOptions): Promise<Connection> {
  const { Connection } = await import('rabbitmq-client');
  if (!('_connect' in Connection.prototype))
    throw new Error('this version of rabbitmq-client is not supported; install rabbitmq-client@~5.0.8');
  return new (rawConnectionOf(Connection))({ frameMax: MOST_FRAME_BYTES, ...options });
}

/** More than a broker grants by default: headers of a message must fit into one frame, whoever wrote them. */
const MOST_FRAME_BYTES = 1024 ** 2;

/** Steps of the client that its types do not name. */
interface ConnectionInside {
  _connect(): Socket;
  _opt: { frameMax: number };
  _state: { frameMax: number };
}

type ConnectionClass = new (options: ConnectionOptions) => Connection;

function rawConnectionOf(Client: ConnectionClass): ConnectionClass {
  const Inside = Client as unknown as new (options: ConnectionOptions) => Connection & ConnectionInside;
  return class RawConnection extends Inside {
    constructor(options: ConnectionOptions) {
      super(options);
      // The client cuts and counts frames by what it asked for, not by what the broker has granted.
      this.on('connection', () => {
        this._opt.frameMax = this._state.frameMax;
      });
    }

    override _connect(): Socket {
      const socket = super._connect();
      keepContentHeadersRaw(socket);
      return socket;
    }
  };
}

const FRAME_HEAD = 7;
const CONTENT_HEADER = 2;
/** Class, weight and size of the body stand before the properties. */
const BEFORE_PROPERTIES = 12;
const HEADERS_FLAG = 0x2000;
/** Flags; length of the table; its one name; the type of its value and its length. */
const WRAP_BYTES = 2 + 4 + 1 + RAW_HEADER.length + 1 + 4;

/** The client reads a frame's head of seven bytes, then as many bytes as that announces and one more. */
export function keepContentHeadersRaw(socket: Pick<Socket, 'read'>): void {
  const read = socket.read.bind(socket);
  /** Of the frame whose head was read last; null between frames. */
  let frame: { isContentHeader: boolean } | null = null;

  function readHead(size: number | undefined): Buffer | null {
    const head: Buffer | null = read(size);
    // The greeting of a server that speaks another version has eight bytes and is no frame.
    if (size !== FRAME_HEAD || head?.length !== FRAME_HEAD) return head;
    frame = { isContentHeader: head[0] === CONTENT_HEADER };
    if (!frame.isContentHeader) return head;
    const longer = Buffer.from(head);
    longer.writeUInt32BE(head.readUInt32BE(3) + WRAP_BYTES, 3);
    return longer;
  }

  socket.read = (size?: number): Buffer | null => {
    if (frame === null) return readHead(size);
    const wanted = frame.isContentHeader ? size! - WRAP_BYTES : size;
    const payload: Buffer | null = read(wanted);
    if (payload?.length !== wanted) return payload;
    const { isContentHeader } = frame;
    frame = null;
    return isContentHeader ? wrapped(payload!) : payload;
  };
}

/** The same header with all properties, flags included, as the bytes of one header. */
function wrapped(payload: Buffer): Buffer {
  const properties = payload.subarray(BEFORE_PROPERTIES, -1);
  const out = Buffer.allocUnsafe(payload.length + WRAP_BYTES);
  let at = payload.copy(out, 0, 0, BEFORE_PROPERTIES);
  at = out.writeUInt16BE(HEADERS_FLAG, at);
  at = out.writeUInt32BE(1 + RAW_HEADER.length + 1 + 4 + properties.length, at);
  at = out.writeUInt8(RAW_HEADER.length, at);
  at += out.write(RAW_HEADER, at, 'latin1');
  at = out.writeUInt8(0x78, at);
  at = out.writeUInt32BE(properties.length, at);
  at += properties.copy(out, at);
  out.writeUInt8(payload.at(-1)!, at);
  return out;
}
