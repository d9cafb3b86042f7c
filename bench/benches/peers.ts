import type { Bench, BenchContext, Figure } from '../bench.js';
import type { BenchDatabase } from '../ground/bench-server.js';
import { type Contender, compareRuns, type Run } from '../ground/compare-runs.js';
import { installPeers, PEERS_NODE } from '../ground/install-peers.js';
import { acceptMany } from '../ground/open-sender.js';
import { processCpuSeconds, serverCpuSeconds } from '../ground/process-usage.js';
import { type RedisServer, startRedis } from '../ground/redis-server.js';
import { startSmtpSink } from '../ground/smtp-sink.js';
import { spawnLoad } from '../ground/spawn-load.js';
import {
  type BenchPeer,
  type PeerDescription,
  type PeerName,
  type PeerSettings,
  spawnPeer,
} from '../ground/spawn-peer.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const ROUNDS = 3;
/** Everyone has a second or two to get warm before he is counted; as many emails would be ten times as long for some. */
const OURS = { emails: 60_000, warm: 15_000 };
const THEIRS = { emails: 8000, warm: 2000 };
const TRIAL = { emails: 2000, warm: 500 };
const ACCEPT = { emails: 30_000, warm: 10_000 };
const BARE = { emails: 60_000, warm: 15_000, connections: 20 };
const QUEUES: readonly PeerName[] = ['pg-boss', 'graphile-worker', 'bullmq'];

/**
 * Postrider beside the queues people use with nodemailer: the same emails, the same sink, the same Node, one process each.
 * Each peer first tries a few settings and keeps its best; then everyone takes turns, so that what else the
 * machine does hits all, and the best of the rounds counts.
 */
export const peers: Bench = {
  name: 'peers',
  says: 'delivered and accepted by Postrider, pg-boss, graphile-worker and BullMQ with pooled nodemailer',
  async run(context) {
    await installPeers((text) => console.log(`  ${text}`));
    const redis = await startRedis();
    try {
      const sink = await startSmtpSink();
      try {
        return await race(context, { redis, smtp: sink.port });
      } finally {
        await sink.stop();
      }
    } finally {
      await redis.stop();
    }
  },
};

async function race(context: BenchContext, services: Services): Promise<Figure[]> {
  const { progress } = context;
  const field: Peer[] = [];
  for (const name of [...QUEUES, 'nodemailer-alone'] as const) {
    field.push(await chooseSettings(context, services, name));
  }
  const bare: number[] = [];
  let ourNode = '';
  const ours: Run[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const told = (name: string) => progress(`round ${round} of ${ROUNDS}: ${name}`);
    told('the bare loop');
    const { seconds, node } = await spawnLoad({ do: 'bare', port: services.smtp, ...BARE }, PEERS_NODE);
    bare.push((BARE.emails - BARE.warm) / seconds);
    ourNode = node;
    told('Postrider');
    ours.push(await runPostrider(context, services.smtp));
    for (const peer of field) {
      told(peer.name);
      const accepted = await acceptByPeer(context, services, peer.name);
      peer.runs.push({
        ...(await runPeer(context, services, peer.name, peer.settings, THEIRS)).run,
        accepted,
      });
    }
  }
  const contenders = field.map(asContender);
  const about = `Node ${ourNode}; its defaults; every step committed with fsync and kept as an event`;
  return compareRuns({
    ours: { name: 'Postrider', about, runs: ours },
    queues: contenders.slice(0, QUEUES.length),
    mailer: contenders[QUEUES.length]!,
    bare,
  });
}

interface Services {
  redis: RedisServer;
  smtp: number;
}

interface Size {
  emails: number;
  warm: number;
}

interface Peer {
  name: PeerName;
  about: PeerDescription;
  settings: PeerSettings;
  runs: Run[];
}

async function chooseSettings(context: BenchContext, services: Services, name: PeerName): Promise<Peer> {
  let best: { settings: PeerSettings; delivered: number } | null = null;
  let about: PeerDescription | null = null;
  for (let trial = 0; about === null || trial < about.settings.length; trial++) {
    const answer = await runPeer(context, services, name, about?.settings[trial] ?? null, TRIAL);
    about = answer.about;
    const { delivered } = answer.run;
    context.progress(`${name} ${asText(answer.settings)}: ${Math.round(delivered)} emails/s`);
    if (!best || delivered > best.delivered) best = { settings: answer.settings, delivered };
  }
  return { name, about, settings: best!.settings, runs: [] };
}

/** Without settings the first of its own. */
function runPeer(
  context: BenchContext,
  services: Services,
  name: PeerName,
  settings: PeerSettings | null,
  { emails, warm }: Size,
): Promise<{ about: PeerDescription; settings: PeerSettings; run: Omit<Run, 'accepted'> }> {
  return withPeer(context, services, name, async (peer, database) => {
    const used = settings ?? peer.about.settings[0]!;
    await peer.insert(emails, 0);
    const serverCpu = async () =>
      name === 'bullmq' ? processCpuSeconds(services.redis.pid) : serverCpuSeconds(database.client);
    const before = await serverCpu();
    const { seconds, cpuSeconds } = await peer.deliver({ settings: used, total: emails, warm });
    const run = {
      delivered: (emails - warm) / seconds,
      processCpu: (cpuSeconds * 1e6) / (emails - warm),
      serverCpu: each(before, await serverCpu(), emails),
    };
    return { about: peer.about, settings: used, run };
  });
}

async function acceptByPeer(context: BenchContext, services: Services, name: PeerName): Promise<number> {
  if (name === 'nodemailer-alone') return 0;
  const { emails, warm } = ACCEPT;
  return withPeer(
    context,
    services,
    name,
    async (peer) => (emails - warm) / (await peer.insert(emails, warm)),
  );
}

/** A peer in a process and on a database of its own. */
async function withPeer<T>(
  context: BenchContext,
  services: Services,
  name: PeerName,
  work: (peer: BenchPeer, database: BenchDatabase) => Promise<T>,
): Promise<T> {
  const database = await context.openDatabase();
  const peer = await spawnPeer(name, {
    postgres: database.url,
    redis: services.redis.port,
    smtp: services.smtp,
  });
  try {
    return await work(peer, database);
  } finally {
    await peer.stop();
  }
}

async function runPostrider(context: BenchContext, smtpPort: number): Promise<Run> {
  const accepted = await context.openDatabase();
  const { seconds: accepting } = await spawnLoad(
    { do: 'accept', database: accepted.url, ...ACCEPT },
    PEERS_NODE,
  );
  const { emails, warm } = OURS;
  const database = await context.openDatabase();
  await acceptMany(database.url, emails);
  const worker = await spawnWorker({ database: database.url, smtpPort }, {}, PEERS_NODE);
  const from = await worker.ask({ do: 'expect', settled: warm }, 'reached');
  const before = await worker.ask({ do: 'usage' }, 'usage');
  const serverBefore = await serverCpuSeconds(database.client);
  const to = await worker.ask({ do: 'expect', settled: emails }, 'reached');
  const after = await worker.ask({ do: 'usage' }, 'usage');
  const serverAfter = await serverCpuSeconds(database.client);
  await worker.stop();
  const counted = after.settled - before.settled;
  return {
    accepted: (ACCEPT.emails - ACCEPT.warm) / accepting,
    delivered: (to.settled - from.settled) / ((to.at - from.at) / 1000),
    processCpu: ((after.cpuMs - before.cpuMs) * 1000) / counted,
    serverCpu: each(serverBefore, serverAfter, counted),
  };
}

function each(before: number | null, after: number | null, emails: number): number | null {
  return before === null || after === null ? null : ((after - before) * 1e6) / emails;
}

function asContender({ name, about, settings, runs }: Peer): Contender {
  const words = `${about.version}, Node ${about.node}; ${asText(settings)}; ${about.durability}`;
  return {
    name: name === 'nodemailer-alone' ? 'nodemailer alone' : `${name} + nodemailer`,
    about: words,
    runs,
  };
}

function asText(settings: PeerSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}
