import type { Logger } from './kernel/index.js';
import {
  figuresOf,
  findEarlierWorkers,
  type GivenUp,
  hasHeld,
  takeOverWorker,
  type WorkerWatch,
} from './outbox/index.js';
import type { Database } from './store/index.js';

/** Before the first claim: rows of the process this one replaces, and of everyone else who is dead. */
export async function takeBackOwn(
  database: Database,
  { worker, instance, watch, logger }: TakeBackOptions,
): Promise<GivenUp[]> {
  const ended: GivenUp[] = [];
  const dead = watch ? await watch.deadAtStart(instance) : await findEarlierWorkers(database, worker);
  for (const one of dead) {
    const taken = await takeOverWorker(database, one);
    if (!taken) continue;
    logger[hasHeld(taken) ? 'warn' : 'info'](figuresOf(taken), 'took over from a dead worker');
    ended.push(...taken.ended);
  }
  return ended;
}

export interface TakeBackOptions {
  /** The worker that looks. */
  worker: number;
  instance: string;
  /** Null on the embedded store, where no other process lives. */
  watch: WorkerWatch | null;
  logger: Logger;
}
