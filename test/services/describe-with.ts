import { describe, inject } from 'vitest';

/**
 * `describeWith('postgres')('title', …)`: runs where the service is up and is skipped by name where it is not.
 * In CI nothing is skipped, because there the setup fails first.
 */
export function describeWith(
  ...services: Array<
    'postgres' | 'chromium' | 'postfix' | 'opensmtpd' | 'python' | 'pgbouncer' | 'rabbitmq' | 'redis'
  >
): typeof describe | typeof describe.skip {
  const missing = services.filter((service) => inject(`${service}Url`) === null);
  return missing.length === 0 ? describe : describe.skip;
}
