import { createHmac } from 'node:crypto';

/**
 * The headers of a webhook by the Standard Webhooks scheme, under both names that verifiers look for. Each secret gives
 * a signature, so that while a secret is being changed the old and the new one verify.
 */
export function signWebhook(message: {
  id: string;
  at: Date;
  body: string;
  secrets: readonly string[];
}): Record<string, string> {
  const timestamp = String(Math.floor(message.at.getTime() / 1000));
  const signature = message.secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
      const digest = createHmac('sha256', key).update(`${message.id}.${timestamp}.${message.body}`);
      return `v1,${digest.digest('base64')}`;
    })
    .join(' ');
  const headers: Record<string, string> = {};
  for (const name of ['webhook', 'svix']) {
    headers[`${name}-id`] = message.id;
    headers[`${name}-timestamp`] = timestamp;
    headers[`${name}-signature`] = signature;
  }
  return headers;
}

export const SECRET_PREFIX = 'whsec_';
