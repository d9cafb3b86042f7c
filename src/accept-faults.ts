import type { Intake } from './intake/index.js';
import { type Clock, isPostriderError, messageOf } from './kernel/index.js';

/** Faults of the store that failed calls which hand in emails, as this process saw them in the last five minutes. */
export interface AcceptFaults {
  recent(): { failures: number; message: string } | null;
  /** The same intake, whose faults are counted. */
  watch(intake: Intake): Intake;
}

const RECENT_MS = 5 * 60_000;
/** More are counted as so many. */
const MOST = 10_000;
const FAULTS: ReadonlySet<string> = new Set([
  'STORE_UNAVAILABLE',
  'STORE_FAILED',
  'STORE_UNREADABLE',
  'STORE_REFUSED',
]);

export function createAcceptFaults(clock: Clock): AcceptFaults {
  let at: number[] = [];
  let message = '';

  const noting = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (isPostriderError(error) && FAULTS.has(error.code) && at.length < MOST) {
        at.push(clock.monotonic());
        message = messageOf(error);
      }
      throw error;
    }
  };

  return {
    recent() {
      const since = clock.monotonic() - RECENT_MS;
      at = at.filter((one) => one >= since);
      return at.length === 0 ? null : { failures: at.length, message };
    },
    watch: (intake) => ({
      ...intake,
      accept: (input, options) => noting(intake.accept(input, options)),
      acceptBatch: (inputs, options) => noting(intake.acceptBatch(inputs, options)),
      acceptPermissively: (inputs, options) => noting(intake.acceptPermissively(inputs, options)),
    }),
  };
}
