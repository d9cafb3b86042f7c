import { createHmac, timingSafeEqual } from 'node:crypto';
import { hashAddress, trimEndOf } from '../kernel/index.js';

/**
 * Links that let one person refuse one kind of email, without a password and without their address: the tenant, the
 * kind, the email it came with and the keyed hash of the address, signed. Whoever changes a byte has no link. The first
 * key signs, every key is accepted, so that keys can be changed while old emails are still in people's inboxes.
 */
export interface UnsubscribeLinks {
  /** `lang` is the language the page opens in; it is not signed, since it decides nothing else. */
  url(email: { id: string; tenant: string; address: string; category: string; lang?: string | null }): string;
  /** What a link says, or null where its signature is not ours. */
  read(token: string): UnsubscribeLink | null;
}

export interface UnsubscribeLink {
  tenant: string;
  addressHash: Buffer;
  category: string;
  emailId: string;
}

export function createUnsubscribeLinks(options: {
  publicUrl: string;
  keys: readonly string[];
  hashKey: string;
  /** Where the answer is kept, in the link for the door to find it; null where there is one store. */
  region?: string | null;
}): UnsubscribeLinks {
  const base = trimEndOf(options.publicUrl, '/');
  const sign = (key: string, payload: Buffer) =>
    createHmac('sha256', key)
      .update('postrider unsubscribe\n')
      .update(payload)
      .digest()
      .subarray(0, MAC_BYTES);
  return {
    url({ id, tenant, address, category, lang }) {
      const name = Buffer.from(tenant);
      const payload = Buffer.concat([
        Buffer.from([VERSION, name.length]),
        Buffer.from(id.replaceAll('-', ''), 'hex'),
        hashAddress(options.hashKey, tenant, address),
        name,
        Buffer.from(category),
      ]);
      const token = Buffer.concat([sign(options.keys[0]!, payload), payload]).toString('base64url');
      const query = [
        ...(options.region ? [`region=${options.region}`] : []),
        ...(lang ? [`lang=${lang}`] : []),
      ];
      return `${base}${UNSUBSCRIBE_PATH}${token}${query.length > 0 ? `?${query.join('&')}` : ''}`;
    },
    read(token) {
      if (token.length > MAX_TOKEN || !/^[A-Za-z0-9_-]+$/.test(token)) return null;
      const bytes = Buffer.from(token, 'base64url');
      const mac = bytes.subarray(0, MAC_BYTES);
      const payload = bytes.subarray(MAC_BYTES);
      if (payload.length < HEAD_BYTES || payload[0] !== VERSION) return null;
      // Another spelling of the same bytes is not the link that was signed.
      if (bytes.toString('base64url') !== token) return null;
      if (!options.keys.some((key) => timingSafeEqual(sign(key, payload), mac))) return null;
      const end = HEAD_BYTES + payload[1]!;
      return {
        tenant: payload.subarray(HEAD_BYTES, end).toString(),
        addressHash: Buffer.from(payload.subarray(18, HEAD_BYTES)),
        category: payload.subarray(end).toString(),
        emailId: payload
          .subarray(2, 18)
          .toString('hex')
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
      };
    },
  };
}

export const UNSUBSCRIBE_PATH = '/u/';

const VERSION = 1;
const MAC_BYTES = 16;
/** version, length of the tenant's name, the email's id, the hash */
const HEAD_BYTES = 2 + 16 + 32;
const MAX_TOKEN = 600;
