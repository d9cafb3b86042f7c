import type { Ledger, Settlement } from '../outbox/index.js';
import type { Engine } from './engine.js';

/**
 * A worker's ledger that tells the engine what became of its claims, always after the ledger knows. An
 * engine is thereby never told of something a crash could undo.
 */
export function tellEngine(ledger: Ledger, engine: Engine): Ledger {
  const ids = (claims: ReadonlyArray<{ id: string }>) => claims.map((claim) => claim.id);
  /** Whatever of the claims it changed, none of them is at work any more. */
  const letting = async (claims: ReadonlyArray<{ id: string }>, work: Promise<number>): Promise<number> => {
    const count = await work;
    engine.letGo(ids(claims));
    return count;
  };
  return {
    ...ledger,
    async open(claims, options) {
      const opened = await ledger.open(claims, options);
      if (opened.length < claims.length) {
        const found = new Set(ids(opened));
        engine.letGo(ids(claims).filter((id) => !found.has(id)));
      }
      return opened;
    },
    async settle(settlements) {
      const marked = settlements.map((settlement) => withWait(settlement, engine));
      const done = await ledger.settle(marked);
      engine.settled(marked.filter(({ id }) => done.has(id)));
      engine.letGo(ids(marked).filter((id) => !done.has(id)));
      return done;
    },
    release: (claims, options) => letting(claims, ledger.release(claims, options)),
    park: (claims, hold) => letting(claims, ledger.park(claims, hold)),
    async expire(claims) {
      const expired = await ledger.expire(claims);
      engine.letGo(ids(claims));
      engine.gaveUp(expired);
      return expired;
    },
    suppress: (claims, detail) => letting(claims, ledger.suppress(claims, detail)),
    async releaseStrays(held) {
      const count = await ledger.releaseStrays(held);
      engine.keepOnly(held);
      return count;
    },
  };
}

function withWait(settlement: Settlement, engine: Engine): Settlement {
  const { status, retryDelayMs, id } = settlement;
  if (status !== 'retry' || retryDelayMs === null || !engine.spendsWait(id, retryDelayMs)) return settlement;
  return { ...settlement, rings: true };
}
