import type { Running, Service } from './service.js';

/**
 * Brings one service up by the first of its ways that works.
 * Without any it returns the reasons, so that tests are skipped by name; where nothing may be skipped it throws.
 */
export async function bringUp(service: Service, options: { maySkip: boolean }): Promise<Running | Skipped> {
  const reasons: string[] = [];
  for (const way of service.ways) {
    const attempt = await way();
    if (attempt.running) return attempt;
    reasons.push(attempt.because);
  }
  const because = reasons.join('; ');
  if (options.maySkip) return { running: false, because };
  throw new Error(`${service.name} is needed and nothing may be skipped in CI, but: ${because}`);
}

export interface Skipped {
  running: false;
  because: string;
}
