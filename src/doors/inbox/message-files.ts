/**
 * Messages as files: `<id>.eml` as received, and `<id>.json` with its envelope and line of the list.
 * A message exists once its .eml has its name, which happens after both files are on disk; what a crash
 * leaves half done is cleared away at the next start. Files it did not name are left alone.
 */
import { mkdir, open, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isUuid, killPoint, type Logger, messageOf } from '../../kernel/index.js';
import type { InboxMessage } from './inbox-message.js';
import { summarize } from './read-message.js';

export interface MessageFiles {
  /** Everything found in the folder, oldest first. */
  load(): Promise<InboxMessage[]>;
  write(message: InboxMessage, raw: Uint8Array): Promise<void>;
  /** The bytes as received, or null when the message is gone. */
  read(id: string): Promise<Uint8Array | null>;
  remove(id: string): Promise<void>;
}

export function messageFiles(directory: string, logger: Logger): MessageFiles {
  const path = (id: string, ending: string) => join(directory, `${id}${ending}`);

  return {
    async load() {
      await mkdir(directory, { recursive: true });
      const { whole, leftovers } = sortOut(await readdir(directory));
      for (const name of leftovers) await rm(join(directory, name), { force: true });
      const messages: InboxMessage[] = [];
      for (const id of whole) messages.push(await loadOne(id));
      return messages;
    },

    async write(message, raw) {
      const json = Buffer.from(JSON.stringify(message));
      try {
        await Promise.all([
          writeDurably(path(message.id, '.json.tmp'), json),
          writeDurably(path(message.id, '.eml.tmp'), raw),
        ]);
        killPoint('inbox:written');
        await rename(path(message.id, '.json.tmp'), path(message.id, '.json'));
        killPoint('inbox:named-envelope');
        await rename(path(message.id, '.eml.tmp'), path(message.id, '.eml'));
        await syncDirectory(directory);
      } catch (error) {
        for (const ending of ENDINGS) await rm(path(message.id, ending), { force: true });
        throw error;
      }
    },

    read: (id) => readFile(path(id, '.eml')).catch(nullWhenGone),

    async remove(id) {
      await unlink(path(id, '.eml')).catch(nullWhenGone);
      await unlink(path(id, '.json')).catch(nullWhenGone);
    },
  };

  /** The .json is what a list needs; without it the message itself still tells all but the envelope. */
  async function loadOne(id: string): Promise<InboxMessage> {
    try {
      const message = JSON.parse(await readFile(path(id, '.json'), 'utf8')) as InboxMessage;
      if (message.id === id && Array.isArray(message.to)) return message;
      logger.warn(
        { messageId: id },
        'inbox envelope belongs to another message; reading the message instead',
      );
    } catch (error) {
      logger.warn(
        { messageId: id, error: messageOf(error) },
        'inbox envelope unreadable; reading the message',
      );
    }
    const raw = await readFile(path(id, '.eml'));
    const envelope = { from: '', to: [] };
    const receivedAtMs = Number.parseInt(id.replace('-', '').slice(0, 12), 16);
    return summarize(raw, { id, receivedAtMs, envelope });
  }
}

const ENDINGS = ['.eml', '.json', '.eml.tmp', '.json.tmp'];

function sortOut(names: string[]): { whole: string[]; leftovers: string[] } {
  const ours = names.filter((name) => isUuid(name.slice(0, 36)) && ENDINGS.includes(name.slice(36)));
  const whole = new Set(ours.filter((name) => name.endsWith('.eml')).map((name) => name.slice(0, 36)));
  const leftovers = ours.filter((name) => name.endsWith('.tmp') || !whole.has(name.slice(0, 36)));
  return { whole: [...whole].sort(), leftovers };
}

async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A rename survives a power cut only once the folder itself is on disk; Windows has no such call. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function nullWhenGone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
