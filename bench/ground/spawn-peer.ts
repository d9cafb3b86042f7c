import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PEERS_FOLDER, PEERS_NODE } from './install-peers.js';

/** One peer in a process of its own, on the Node installed beside the peers. */
export interface BenchPeer {
  readonly about: PeerDescription;
  /** Inserts in batches of 500 and gives the seconds of what came after the first `warm`. */
  insert(count: number, warm: number): Promise<number>;
  /** Delivers everything that waits; the seconds, also those of its CPU, are of what came after the first `warm`. */
  deliver(command: {
    settings: PeerSettings;
    total: number;
    warm: number;
  }): Promise<{ seconds: number; cpuSeconds: number }>;
  stop(): Promise<void>;
}

export type PeerName = 'pg-boss' | 'graphile-worker' | 'bullmq' | 'nodemailer-alone';
export type PeerSettings = Record<string, number>;

export interface PeerDescription {
  /** Package and version. */
  version: string;
  node: string;
  /** What to try; the best is taken. */
  settings: PeerSettings[];
  durability: string;
}

const SAMPLES = new URL('./sample-emails.js', import.meta.url).href;
const PATIENCE_MS = 240_000;

export async function spawnPeer(
  peer: PeerName,
  services: { postgres: string; redis: number; smtp: number },
): Promise<BenchPeer> {
  const child = fork(join(PEERS_FOLDER, 'peer-child.mjs'), [], {
    execPath: PEERS_NODE,
    execArgv: [],
    env: { ...process.env, BENCH_PEER: JSON.stringify({ peer, samples: SAMPLES, ...services }) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ready = await nextEvent<PeerDescription>(child, 'ready');
  const ask = <Answer extends object>(
    command: { do: string; count?: number; warm?: number },
    event: string,
  ): Promise<Answer> => {
    const answer = nextEvent<Answer>(child, event);
    child.send(command);
    return answer;
  };
  return {
    about: ready,
    insert: async (count, warm) =>
      (await ask<{ seconds: number }>({ do: 'insert', count, warm }, 'inserted')).seconds,
    deliver: (command) => ask({ do: 'deliver', ...command }, 'delivered'),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      if (child.connected) child.send({ do: 'stop' });
      await gone;
    },
  };
}

function nextEvent<E extends object>(child: ChildProcess, event: string): Promise<E> {
  return new Promise((resolve, reject) => {
    const onMessage = (message: E & { event: string }) => {
      if (message.event === event) settle(() => resolve(message));
    };
    const onExit = (code: number | null) =>
      settle(() => reject(new Error(`the peer ended with code ${code}`)));
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      settle(() => reject(new Error(`no "${event}" within ${PATIENCE_MS} ms`)));
    }, PATIENCE_MS);
    const settle = (then: () => void) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      then();
    };
    child.on('message', onMessage);
    child.on('exit', onExit);
  });
}
