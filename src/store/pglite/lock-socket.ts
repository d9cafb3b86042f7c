import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';

/**
 * A socket in the data folder that is open as long as its process lives. The kernel closes it however the process ends,
 * and every container that mounts the folder on the same machine can ask it, although it sees none of the others' processes.
 * Null where the file system has no sockets (some bind mounts, Windows).
 */
export async function openLockSocket(
  folder: string,
): Promise<{ name: string; close(): Promise<void> } | null> {
  if (process.platform === 'win32') return null;
  const name = `postrider-${randomBytes(4).toString('hex')}.sock`;
  const place = await socketPlace(folder, name);
  if (place === null) return null;
  const server = createServer((asking) => asking.destroy());
  try {
    server.listen(place.path);
    await once(server, 'listening');
  } catch {
    await place.done();
    return null;
  }
  // One connection that cannot be taken says nothing: whoever asks sees that the socket is open.
  server.on('error', () => undefined);
  server.unref();
  return {
    name,
    async close() {
      await new Promise((closed) => server.close(closed));
      await place.done();
    },
  };
}

/** `closed` where nobody listens any more; `unknown` where the file system or our rights do not let us ask. */
export async function askSocket(folder: string, name: string): Promise<'open' | 'closed' | 'unknown'> {
  const place = await socketPlace(folder, name);
  if (place === null) return 'unknown';
  const socket = connect(place.path);
  try {
    await once(socket, 'connect');
    return 'open';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'closed' : 'unknown';
  } finally {
    socket.destroy();
    await place.done();
  }
}

/** A lock file comes from a folder: what it names is only ever a socket beside it. */
export function isSocketName(name: string): boolean {
  return /^postrider-[0-9a-f]{8}\.sock$/.test(name);
}

/** What the address of a socket may hold; Linux takes a longer path by a handle of the folder. */
const LONGEST_PATH = 100;

async function socketPlace(
  folder: string,
  name: string,
): Promise<{ path: string; done(): Promise<void> } | null> {
  const path = join(resolve(folder), name);
  if (Buffer.byteLength(path) <= LONGEST_PATH) return { path, done: async () => {} };
  if (process.platform !== 'linux') return null;
  const handle: FileHandle = await open(folder, 'r');
  return { path: `/proc/self/fd/${handle.fd}/${name}`, done: () => handle.close() };
}
