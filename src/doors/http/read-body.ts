/**
 * The bytes of a request's body, held to their limit, counted and timed while they arrive. Content-Length is a promise of the
 * sender; what is counted is what arrives. A sender that keeps us waiting is refused, because it would hold its place
 * for as long as it likes.
 */
import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { ByteCollector, PostriderError, systemClock } from '../../kernel/index.js';
import type { Served } from './client-address.js';
import type { HttpEnv } from './request-context.js';
import type { RequestMemory } from './request-memory.js';

export interface BodySource {
  request: Request;
  /** The server's own, which is read without copies; a request that came another way has none. */
  incoming?: IncomingMessage | undefined;
  limitBytes: number;
  memory?: Pick<RequestMemory, 'reserves' | 'expect' | 'take'> | undefined;
  /** Other than the usual, for tests. */
  pace?: Pace;
}

/** A body has so long for its first bytes, and then arrives at least so fast. */
export interface Pace {
  graceMs: number;
  leastBytesPerSecond: number;
}

export function bodyOf(c: Context<HttpEnv>): BodySource {
  const { incoming } = (c.env ?? {}) as Served;
  return {
    request: c.req.raw,
    incoming,
    limitBytes: c.get('bodyLimitBytes'),
    memory: c.get('memory'),
  };
}

/** Told by its headers where there is a server: to look at the body of its request is to begin to read it. */
export function hasBody(c: Context): boolean {
  const { headers } = c.req.raw;
  if (headers.has('content-length')) return headers.get('content-length') !== '0';
  if ((c.env as Served | undefined)?.incoming) return headers.has('transfer-encoding');
  return c.req.raw.body !== null;
}

export async function readBytes({
  request,
  incoming,
  limitBytes,
  memory,
  pace = USUAL_PACE,
}: BodySource): Promise<Buffer<ArrayBuffer>> {
  const announced = announcedBytes(request);
  if (announced !== null && announced > limitBytes) throw tooLarge(limitBytes);
  if (announced !== null) memory?.expect(announced);
  const bytes = new ByteCollector(memory?.reserves === true ? announced : null);
  const take = (piece: Uint8Array) => {
    if (bytes.length + piece.byteLength > limitBytes) throw tooLarge(limitBytes);
    memory?.take(piece.byteLength);
    bytes.add(piece);
  };
  if (incoming) await collect(incoming, pace, take);
  // The server ends a body where its length says, so a small one is read in one go: a stream of the web's kind around
  // it cost an email of 5 KB a sixth of the time of its request.
  else if (announced !== null && announced <= IN_ONE_GO_BYTES)
    take(await within(pace.graceMs, inOneGo(request), pace));
  else for await (const piece of inTime(fromWeb(request), pace)) take(piece);
  return bytes.bytes();
}

/** For what is used up as it arrives; only so much is read as is asked for. */
export function streamBody({ request, incoming, pace = USUAL_PACE }: BodySource): AsyncGenerator<Uint8Array> {
  // Not destroyed by who stops early: that would cut the socket under the answer. The adapter drains or drops the rest.
  return inTime(incoming ? incoming.iterator({ destroyOnReturn: false }) : fromWeb(request), pace);
}

const IN_ONE_GO_BYTES = 256 * 1024;
const USUAL_PACE: Pace = { graceMs: 10_000, leastBytesPerSecond: 64 * 1024 };

function allowedMs({ graceMs, leastBytesPerSecond }: Pace, bytes: number): number {
  return graceMs + (bytes / leastBytesPerSecond) * 1000;
}

function announcedBytes({ headers }: Request): number | null {
  const length = headers.get('content-length');
  return length === null || length === '' ? null : Number(length);
}

/** Everything that arrives, without a promise for each piece. */
function collect(incoming: IncomingMessage, pace: Pace, take: (piece: Buffer) => void): Promise<void> {
  const startedAt = systemClock.monotonic();
  let bytes = 0;
  return new Promise<void>((resolve, reject) => {
    const end = (result: () => void) => {
      clearTimeout(timer);
      incoming.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      result();
    };
    const onData = (piece: Buffer) => {
      bytes += piece.length;
      try {
        take(piece);
      } catch (error) {
        end(() => reject(error));
      }
    };
    const onEnd = () => end(resolve);
    const onError = (error: unknown) => end(() => reject(interrupted(error)));
    const onClose = () => end(() => reject(interrupted(incoming.errored)));
    const look = () => {
      const left = allowedMs(pace, bytes) - (systemClock.monotonic() - startedAt);
      if (left <= 0) end(() => reject(tooSlow(pace)));
      else timer = setTimeout(look, left + 1);
    };
    let timer = setTimeout(look, pace.graceMs);
    incoming.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    if (incoming.readableEnded) onEnd();
    else if (incoming.destroyed) onClose();
  });
}

async function inOneGo(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer().catch(throwInterrupted));
}

async function* fromWeb({ body }: Request): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(throwInterrupted);
    if (done) return;
    yield value;
  }
}

/** Counts the time that is spent waiting for the sender, not what is done with the bytes between. */
async function* inTime(pieces: AsyncIterator<Uint8Array>, pace: Pace): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  let waitedMs = 0;
  for (;;) {
    const askedAt = systemClock.monotonic();
    const { done, value } = await within(allowedMs(pace, bytes) - waitedMs, pieces.next(), pace);
    if (done) return;
    waitedMs += systemClock.monotonic() - askedAt;
    bytes += value.byteLength;
    yield value;
  }
}

async function within<T>(ms: number, answer: Promise<T>, pace: Pace): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooSlow(pace)), ms);
  });
  try {
    return await Promise.race([answer.catch(throwInterrupted), late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooLarge(limitBytes: number): PostriderError {
  return new PostriderError('PAYLOAD_TOO_LARGE', `The body is larger than ${limitBytes} bytes.`);
}

function tooSlow({ graceMs, leastBytesPerSecond }: Pace): PostriderError {
  const rate = `${leastBytesPerSecond / 1024} KB per second`;
  return new PostriderError(
    'BODY_TOO_SLOW',
    `After ${graceMs / 1000} seconds a body has to come at ${rate}.`,
  );
}

function throwInterrupted(error: unknown): never {
  throw interrupted(error);
}

function interrupted(cause: unknown): PostriderError {
  return new PostriderError('INVALID_JSON', 'The body ended before it was complete.', { cause });
}
