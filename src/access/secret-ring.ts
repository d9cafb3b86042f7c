import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { PostriderError } from '../kernel/index.js';

/**
 * Seals and opens secrets with AES-256-GCM under a ring of keys: the first seals, all open, so that keys can be
 * changed while processes run. What is sealed is bound to its context (its name or row): moved elsewhere it does not
 * open. Refuses to open what was changed by a single bit.
 */
export interface SecretRing {
  seal(secret: string, context: string): string;
  open(sealed: string, context: string): string;
  /** Whether the first key has sealed it. */
  isNewest(sealed: string): boolean;
}

/** From the setting `id:base64,…`; null when nothing is set. */
export function createSecretRing(setting: string | null): SecretRing | null {
  const keys = setting === null ? null : readSecretKeys(setting);
  if (!keys) return null;
  const [newest] = keys.keys() as IterableIterator<string>;
  return {
    seal(secret, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', keys.get(newest!)!, iv);
      cipher.setAAD(boundTo(newest!, context));
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return [VERSION, newest, iv.toString('base64url'), sealed.toString('base64url')].join(':');
    },
    open(sealed, context) {
      const [version, id = '', iv = '', content = ''] = sealed.split(':');
      const key = keys.get(id);
      if (version !== VERSION || !key) throw unreadable('The key that sealed this secret is not set.');
      const bytes = Buffer.from(content, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url'), {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(boundTo(id, context));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        return decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
      } catch (error) {
        throw unreadable('The secret was changed, or belongs elsewhere.', error);
      }
    },
    isNewest: (sealed) => sealed.startsWith(`${VERSION}:${newest}:`),
  };
}

/** By id, in order; null when the text is no ring. */
export function readSecretKeys(setting: string): Map<string, Buffer> | null {
  const keys = new Map<string, Buffer>();
  for (const entry of setting.split(',')) {
    const [, id, text] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]{43}=?)\s*$/.exec(entry) ?? [];
    if (id === undefined || text === undefined || keys.has(id)) return null;
    keys.set(id, Buffer.from(text, 'base64'));
  }
  return keys;
}

const VERSION = 's1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function boundTo(id: string, context: string): Buffer {
  return Buffer.from(`${VERSION}:${id}:${context}`);
}

function unreadable(message: string, cause?: unknown): PostriderError {
  return new PostriderError('SECRET_UNREADABLE', message, { cause });
}
