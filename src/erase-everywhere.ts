import type { EraseOptions, ErasureReport, ErasureRequest } from './erase-person.js';
import { isPostriderError } from './kernel/index.js';
import type { Postrider } from './postrider-contract.js';
import type { RegionAnswer } from './regions-contract.js';

/**
 * One person out of every region, one after the other. A region that does not answer is named and makes the whole
 * incomplete: it is run again, as any erasure that was cut off.
 */
export interface ErasedEverywhere extends ErasureReport {
  regions: RegionAnswer[];
}

export async function eraseEverywhere(
  stores: ReadonlyArray<readonly [region: string, store: Pick<Postrider, 'erase'>]>,
  person: ErasureRequest,
  options?: EraseOptions,
): Promise<ErasedEverywhere> {
  const total: ErasedEverywhere = {
    ...{ emails: 0, cancelled: 0, redacted: 0, recipients: 0, idempotencyKeys: 0, left: 0 },
    ...{ complete: true, regions: [] },
  };
  for (const [region, store] of stores) {
    try {
      const report = await store.erase(person, options);
      for (const count of COUNTS) total[count] += report[count];
      total.complete &&= report.complete;
      total.regions.push({ region, ok: true });
    } catch (error) {
      if (!isPostriderError(error) || error.status < 500) throw error;
      total.complete = false;
      total.regions.push({ region, ok: false, code: error.code });
    }
  }
  return total;
}

const COUNTS = ['emails', 'cancelled', 'redacted', 'recipients', 'idempotencyKeys', 'left'] as const;
