import { type Logger, messageOf } from '../kernel/index.js';
import type { ClaimRef, Ledger } from '../outbox/index.js';

/**
 * Marks attempts as begun, those asked for at about the same time in one statement: a statement costs far more than a row
 * in it. An email that must not repeat waits for the disk, and the others do not wait with it.
 */
export class BeginMarks {
  private readonly repeatable: Batch;
  private readonly atMostOnce: Batch;

  constructor(ledger: Pick<Ledger, 'begin'>, logger: Logger) {
    this.repeatable = new Batch((claims) => ledger.begin(claims, { atMostOnce: false }), logger);
    this.atMostOnce = new Batch((claims) => ledger.begin(claims, { atMostOnce: true }), logger);
  }

  /** False when the claim is not ours any more, or nobody can say: then nothing may be sent. */
  mark(claim: ClaimRef, { atMostOnce }: { atMostOnce: boolean }): Promise<boolean> {
    return (atMostOnce ? this.atMostOnce : this.repeatable).add(claim);
  }
}

const MOST = 200;

class Batch {
  private waiting: Entry[] = [];
  private writing = false;
  private scheduled = false;

  constructor(
    private readonly write: (claims: ClaimRef[]) => Promise<Set<string>>,
    private readonly logger: Logger,
  ) {}

  add({ id, token }: ClaimRef): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiting.push({ claim: { id, token }, resolve });
      this.schedule();
    });
  }

  /** After what else arrived in this turn; behind a statement that is being written. */
  private schedule(): void {
    if (this.writing || this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.flush);
  }

  private readonly flush = async (): Promise<void> => {
    this.scheduled = false;
    this.writing = true;
    const batch = this.waiting.splice(0, MOST);
    try {
      const begun = await this.write(batch.map(({ claim }) => claim));
      for (const { claim, resolve } of batch) resolve(begun.has(claim.id));
    } catch (error) {
      this.logger.warn(
        { count: batch.length, err: messageOf(error) },
        'attempts could not be marked as begun',
      );
      for (const { resolve } of batch) resolve(false);
    }
    this.writing = false;
    if (this.waiting.length > 0) this.schedule();
  };
}

interface Entry {
  claim: ClaimRef;
  resolve(begun: boolean): void;
}
