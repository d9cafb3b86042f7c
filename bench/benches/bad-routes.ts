import { setTimeout as pause } from 'node:timers/promises';
import { createPostrider } from '../../src/index.js';
import {
  greet,
  type Peer,
  type Script,
  scriptedServer,
  takeEnvelope,
} from '../../src/providers/smtp/scripted-server.js';
import { freePort } from '../../test/services/free-port.js';
import type { Bench } from '../bench.js';
import { startCountingSink } from '../ground/counting-sink.js';
import { quantile } from '../ground/quantiles.js';
import { sampleEmails } from '../ground/sample-emails.js';
import { spawnWorker } from '../ground/spawn-worker.js';

/** Waiting for each bad route before the healthy emails come: several times what a worker attempts at once. */
const BEHIND_EACH = 300;
const PER_SECOND = 30;
const SECONDS = 45;

/** What healthy tenants notice of servers that do not answer. */
export const badRoutes: Bench = {
  name: 'bad-routes',
  says: `healthy tenants at ${PER_SECOND}/s for ${SECONDS} s beside six routes whose servers are bad, one worker process`,
  async run({ openDatabase, progress }) {
    const database = await openDatabase();
    const sink = await startCountingSink();
    const servers = await Promise.all(Object.values(SCRIPTS).map((script) => scriptedServer(script)));
    const bad = [
      ...Object.keys(SCRIPTS).map((name, at) => ({ name, port: servers[at]!.port })),
      { name: 'refusing', port: await freePort() },
    ];
    const routes = [
      { name: 'healthy', port: sink.port },
      ...bad.map((route) => ({ ...route, companies: [route.name] })),
    ];
    const sender = createPostrider({
      database: database.url,
      routes: routes.map(({ port, ...rest }) => ({
        ...rest,
        mode: 'smtp',
        smtp: { host: '127.0.0.1', port },
      })),
      from: { address: 'noreply@example.com' },
      config: { log: { level: 'error' } },
    });
    for (const { name } of bad) {
      await sender.sendBatch(sampleEmails(BEHIND_EACH).map((email) => ({ ...email, companyId: name })));
    }
    const worker = await spawnWorker({ database: database.url, routes });
    progress('the bad routes have theirs');
    await pause(2000);
    const until = performance.now() + SECONDS * 1000;
    const healthy: Array<Promise<string>> = [];
    for (let sent = 0; performance.now() < until; sent++) {
      const email = { ...sampleEmails(1, { seed: sent })[0]!, companyId: `healthy-${sent % 10}` };
      healthy.push(sender.send(email).then(({ emailId }) => emailId));
      await pause(
        Math.max(0, (sent + 1) * (1000 / PER_SECOND) - (performance.now() - until + SECONDS * 1000)),
      );
      if (sent % 300 === 299) progress(`${sent + 1} healthy emails`);
    }
    const ids = await Promise.all(healthy);
    await pause(2000);
    const { rows } = await database.client.query<{ ms: number }>(
      `select (extract(epoch from a.started_at - e.created_at) * 1000 + a.duration_ms)::float8 as ms
       from postrider.emails e join postrider.email_attempts a on a.email_id = e.id
       where e.id = any ($1::uuid[]) and a.status = 'sent'`,
      [ids],
    );
    const { rows: held } = await database.client.query<{ n: number }>(
      'select count(*)::int as n from postrider.email_queue where owner is not null',
    );
    await worker.kill();
    await sender.stop();
    // Their worker was killed in the middle of conversations.
    await Promise.allSettled(servers.map((server) => server.stop()));
    await sink.stop();
    const times = rows.map(({ ms }) => ms);
    return [
      {
        what: 'healthy emails delivered',
        value: (times.length / ids.length) * 100,
        unit: '%',
        target: { atLeast: 100 },
        note: `${ids.length} emails of 10 tenants; ${held[0]!.n} emails of bad routes in the worker’s hands at the end`,
      },
      { what: 'accepted → delivered, p50', value: quantile(times, 0.5), unit: 'ms' },
      {
        what: 'accepted → delivered, p99',
        value: quantile(times, 0.99),
        unit: 'ms',
        target: { atMost: 250 },
        note: `longest ${Math.max(...times).toFixed(0)} ms`,
      },
    ];
  },
};

const SCRIPTS = {
  'silent-after-dot': async (peer) => {
    await greet(peer, 'PIPELINING');
    await takeEnvelope(peer);
    await peer.message();
  },
  'late-greeting': async (peer) => {
    await pause(20_000);
    await greet(peer, 'PIPELINING');
    for (;;) await answerEach(peer, 0);
  },
  'byte-a-second': async (peer) => {
    for (const byte of '220 it takes its time and it says so at length\r\n') {
      peer.raw(byte);
      await pause(1000);
    }
  },
  tarpit: async (peer) => {
    await greet(peer);
    for (;;) await answerEach(peer, 5000);
  },
  'black-hole': async () => {},
} satisfies Record<string, Script>;

async function answerEach(peer: Peer, delayMs: number): Promise<void> {
  for (const answer of ['250 ok', '250 ok', '354 go']) {
    await peer.line(/^(?:MAIL|RCPT|DATA)/);
    await pause(delayMs);
    peer.say(answer);
  }
  await peer.message();
  await pause(delayMs);
  peer.say('250 2.0.0 Ok: queued as ABC123');
}
