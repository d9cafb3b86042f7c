/**
 * Links to one file or the whole of one email, signed, that hold for a while and end while their tenant is disabled.
 * The first key signs and every key is accepted; a link that was changed or comes late leads to nothing.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../../kernel/index.js';
import type { AttachmentLinks, LinkedFile } from './resend-rooms.js';

export function createAttachmentLinks({
  keys,
  clock,
  isDisabled,
}: {
  keys: readonly string[];
  clock: Clock;
  /** Whether the tenant is. */
  isDisabled(companyId: string): Promise<boolean>;
}): AttachmentLinks {
  const mac = (key: string, payload: string) =>
    createHmac('sha256', key).update('postrider attachment\n').update(payload).digest();
  return {
    sign({ companyId, emailId, attachmentId, expiresAt }) {
      const payload = Buffer.from(JSON.stringify([companyId, emailId, attachmentId, expiresAt])).toString(
        'base64url',
      );
      return `${payload}.${mac(keys[0]!, payload).toString('base64url')}`;
    },
    async read(token) {
      const [payload = '', signature = ''] = token.length > MAX_TOKEN ? [] : token.split('.');
      const given = Buffer.from(signature, 'base64url');
      const ours = keys.some((key) => {
        const expected = mac(key, payload);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      if (!ours) return null;
      const [companyId, emailId, attachmentId, expiresAt] = JSON.parse(
        Buffer.from(payload, 'base64url').toString(),
      ) as [string, string, string, number];
      const file: LinkedFile = { companyId, emailId, attachmentId, expiresAt };
      return expiresAt > clock.now() && !(await isDisabled(companyId)) ? file : null;
    },
  };
}

const MAX_TOKEN = 1000;
