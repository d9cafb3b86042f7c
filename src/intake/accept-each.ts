import { isPostriderError, messageOf, PostriderError, Turns } from '../kernel/index.js';
import type { NewEmail } from '../outbox/index.js';
import { type Refusal, refusalError } from '../policy/index.js';

/**
 * Many emails of which each stands for itself: those that can be accepted are written in one statement, the others get
 * their refusal as a value. For callers who go on whatever becomes of one of them.
 */
export type EachAnswer = { emailId: string; refused: null } | { emailId: null; refused: PostriderError };

export interface EachSteps {
  /** Accepted as suppressed and seen in the log, as one that was asked for by itself; else refused. */
  keepSuppressed?: boolean;
  complete(input: unknown): NewEmail | Promise<NewEmail>;
  /** Null when all may be accepted, and are counted; else the first that may not, and nothing is counted. */
  judge(emails: readonly NewEmail[]): Promise<Refusal | null>;
  /** Notes on each for whom nobody is left to write to. */
  markSuppressed(emails: readonly NewEmail[]): Promise<void>;
  write(emails: readonly NewEmail[]): Promise<void>;
}

export async function acceptEach(inputs: readonly unknown[], steps: EachSteps): Promise<EachAnswer[]> {
  const answers = new Map<number, EachAnswer>();
  const refuse = (index: number, refused: PostriderError) => answers.set(index, { emailId: null, refused });
  const complete: Going[] = [];
  const turns = new Turns();
  for (const [index, input] of inputs.entries()) {
    try {
      if (isPostriderError(input)) throw input;
      const email = await steps.complete(input);
      complete.push({ index, email });
      await turns.after(email.html.length + email.text.length);
    } catch (error) {
      // No database was asked: whatever went wrong is about this email alone.
      refuse(index, isPostriderError(error) ? error : new PostriderError('INTERNAL', messageOf(error)));
    }
  }
  await steps.markSuppressed(complete.map(({ email }) => email));
  // Not asked for by a person, so not worth a row in the log either; and nothing is counted for them.
  const wanted = complete.filter(({ index, email }) => {
    if (email.suppressed === null || steps.keepSuppressed) return true;
    refuse(index, new PostriderError('SUPPRESSED', 'Nobody it is for may be written to.'));
    return false;
  });
  const accepted = await sift(wanted, steps, (index, refusal) => refuse(index, refusalError(refusal, false)));
  await steps.write(accepted.map(({ email }) => email));
  for (const { index, email } of accepted) answers.set(index, { emailId: email.id, refused: null });
  return inputs.map((_, index) => answers.get(index)!);
}

interface Going {
  index: number;
  email: NewEmail;
}

/** A few refusals are taken out one by one; where there are many, halves are judged by themselves. */
async function sift(
  going: Going[],
  steps: EachSteps,
  refuse: (index: number, refusal: Refusal) => void,
): Promise<Going[]> {
  let left = going;
  for (let round = 0; left.length > 0; round++) {
    if (round === ONE_BY_ONE && left.length > 1) {
      const middle = left.length >> 1;
      return [
        ...(await sift(left.slice(0, middle), steps, refuse)),
        ...(await sift(left.slice(middle), steps, refuse)),
      ];
    }
    const refusal = await steps.judge(left.map(({ email }) => email));
    if (refusal === null) return left;
    refuse(left[refusal.index]!.index, refusal);
    left = left.filter((_, at) => at !== refusal.index);
  }
  return left;
}

const ONE_BY_ONE = 3;
