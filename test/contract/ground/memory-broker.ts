import type {
  BellBroker,
  BrokerListener,
  EngineState,
  HeardBell,
  OutgoingBell,
} from '../../../src/dispatch/index.js';

/**
 * A broker without a server, for what the bell engine promises whatever carries its bells: it gives each bell
 * to one listener in turn, and can lose bells, repeat them and be away.
 */
export interface MemoryHub {
  broker(): BellBroker;
  /** Every bell published from now on is forgotten. */
  loses: boolean;
  /** How many were. */
  lost: number;
  /** Every bell is given twice. */
  repeats: boolean;
  /** Publishing and ending fail. */
  away: boolean;
  /** Tells every engine that it has no bell. */
  tellEmpty(): void;
  /** Bells that were given out and not ended. */
  unended(): number;
}

export function createMemoryHub(): MemoryHub {
  const listeners = new Set<BrokerListener<HeardBell>>();
  const unended = new Set<HeardBell>();
  let turn = 0;

  function give(bell: HeardBell): void {
    const open = [...listeners];
    const listener = open[turn++ % Math.max(1, open.length)];
    if (!listener) return;
    for (let copy = 0; copy < (hub.repeats ? 2 : 1); copy++) {
      const heard = { id: bell.id, token: bell.token };
      unended.add(heard);
      setImmediate(() => listener.onBell(heard));
    }
  }

  const hub: MemoryHub = {
    loses: false,
    lost: 0,
    repeats: false,
    away: false,
    tellEmpty() {
      for (const listener of listeners) listener.onNothingOut({ waits: true });
    },
    unended: () => unended.size,
    broker() {
      let own: BrokerListener<HeardBell> | null = null;
      const state = (): EngineState => ({
        name: 'rabbitmq',
        up: !hub.away,
        message: hub.away ? 'away' : 'in memory',
      });
      const leave = async () => {
        if (own) listeners.delete(own);
      };
      return {
        name: 'rabbitmq',
        wantsData: true,
        async start(listener) {
          own = listener;
          listeners.add(listener);
          listener.onState(state());
        },
        quiesce: leave,
        stop: leave,
        async publish(bells: readonly OutgoingBell[]) {
          if (hub.away) throw new Error('the broker is away');
          if (bells.some((bell) => bell.data === null)) throw new Error('a bell without data');
          if (hub.loses) hub.lost += bells.length;
          else for (const bell of bells) give(bell);
        },
        spendsWait: (waitMs) => waitMs === 500,
        async ended(ends) {
          if (hub.away) throw new Error('the broker is away');
          for (const { bell, settlement } of ends) {
            if (bell) unended.delete(bell);
            if (settlement?.rings && !hub.loses) {
              setTimeout(
                () => give({ id: settlement.id, token: settlement.token }),
                settlement.retryDelayMs!,
              );
            }
          }
        },
        gaveUp() {},
        state,
      };
    },
  };
  return hub;
}
