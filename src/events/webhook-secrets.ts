import { randomBytes } from 'node:crypto';
import type { Queryable } from '../store/index.js';
import { SECRET_PREFIX } from './sign-webhook.js';

/** Where secrets are kept, sealed; the access room gives it. */
export interface WebhookSecrets {
  put(name: string, secret: string, tx?: Queryable): Promise<void>;
  get(name: string): Promise<string | null>;
  remove(name: string): Promise<void>;
}

export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(24).toString('base64');
}

export function secretName(endpointId: string): string {
  return `webhook:${endpointId}`;
}

export function oldSecretName(endpointId: string): string {
  return `webhook:${endpointId}:old`;
}
