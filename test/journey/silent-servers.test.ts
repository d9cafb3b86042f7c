import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPostrider, type Postrider, type RouteInput } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import {
  greet,
  type Script,
  type ScriptedServer,
  scriptedServer,
  takeEnvelope,
  takeMessage,
} from '../../src/providers/smtp/scripted-server.js';
import { createTestDatabase, describeWith, type TestDatabase, waitFor } from '../services/index.js';
import { type ScriptedProvider, scriptedProvider } from './ground/scripted-provider.js';

/**
 * Servers that hold what they get, with more emails waiting for each than a worker attempts at once. What goes elsewhere
 * is delivered while they hold theirs.
 */
const WAITING = 150;
const HEALTHY = 40;

let database: TestDatabase;
let servers: ScriptedServer[];
let postrider: Postrider | undefined;

describeWith('postgres')('beside servers that do not answer', { timeout: 180_000 }, () => {
  beforeEach(async () => {
    database = await createTestDatabase();
    servers = [];
    postrider = undefined;
  });
  afterEach(async () => {
    await postrider?.stop({ deadlineMs: 0 });
    await Promise.all(servers.map((server) => server.stop()));
    await database.drop();
  });

  async function smtpRoute(name: string, script: Script): Promise<RouteInput> {
    const server = await scriptedServer(script);
    servers.push(server);
    return { name, mode: 'smtp', companies: [name], smtp: { host: '127.0.0.1', port: server.port } };
  }

  async function open(routes: RouteInput[]): Promise<Postrider> {
    postrider = createPostrider({
      database: database.url,
      routes,
      from: { address: 'noreply@example.com' },
      logger: silentLogger,
      config: { worker: { pollIntervalMs: 100 } },
    });
    await postrider.ready();
    return postrider;
  }

  async function accept(companyId: string, count: number, domain = 'example.net'): Promise<string[]> {
    const emails = Array.from({ length: count }, (_, at) => ({
      ...{ to: `${companyId}-${at}@${domain}`, subject: `${companyId} ${at}`, text: 'x', companyId },
    }));
    return (await postrider!.sendBatch(emails)).map(({ emailId }) => emailId);
  }

  const countSent = async (ids: string[]) =>
    (await Promise.all(ids.map((id) => postrider!.get(id)))).filter((log) => log?.status === 'sent').length;

  async function expectAllSent(ids: string[]): Promise<void> {
    await waitFor(async () => (await countSent(ids)) === ids.length, {
      timeoutMs: 60_000,
      what: 'what goes elsewhere to be sent',
      everyMs: 250,
    });
  }

  it('three routes: silent after the dot, no greeting, a byte a second → the emails of a fourth are all sent', async () => {
    const bad = {
      silent: async (peer) => {
        await greet(peer, 'PIPELINING');
        await takeEnvelope(peer);
        await peer.message();
      },
      greetless: async () => {},
      dripping: async (peer) => {
        for (const byte of '220-it takes its time\r\n') {
          peer.raw(byte);
          await pause(1000);
        }
      },
    } satisfies Record<string, Script>;
    const healthy = await smtpRoute('healthy', async (peer) => {
      await greet(peer, 'PIPELINING');
      for (;;) await takeMessage(peer);
    });
    const { companies, ...rest } = await smtpRoute('rest', bad.silent);
    await open([
      healthy,
      ...(await Promise.all(Object.entries(bad).map(([name, script]) => smtpRoute(name, script)))),
      // One has to take everything; what fails over to it is held there.
      rest as RouteInput,
    ]);
    expect(companies).toEqual(['rest']);
    const held = (await Promise.all(Object.keys(bad).map((name) => accept(name, WAITING)))).flat();
    await postrider!.start();
    await waitFor(() => servers.slice(2).every(({ peers }) => peers.length > 0), {
      timeoutMs: 30_000,
      what: 'every bad server to be spoken to',
    });
    for (let round = 0; round < 4; round++) await expectAllSent(await accept('healthy', HEALTHY / 4));
    expect(await countSent(held)).toBe(0);
  });

  function holding(holds: (to: string) => boolean): { provider: ScriptedProvider; held: () => number } {
    const provider = scriptedProvider();
    const send = provider.send.bind(provider);
    let held = 0;
    provider.send = (email, attempt) => {
      if (!holds(email.to[0]!.address)) return send(email, attempt);
      held++;
      setMaxListeners(0, attempt.signal);
      return new Promise((resolve) => {
        attempt.signal.addEventListener('abort', () => resolve(send(email, attempt)), { once: true });
      });
    };
    return { provider, held: () => held };
  }

  it('one tenant’s emails get no answer → those of another by the same route are all sent', async () => {
    const { provider, held } = holding((to) => to.startsWith('loud'));
    await open([{ name: 'default', provider }]);
    await accept('loud', 2 * WAITING);
    await postrider!.start();
    await waitFor(() => held() > 20, { timeoutMs: 30_000, what: 'many to be held' });
    await expectAllSent(await accept('quiet', HEALTHY));
  });

  it('one domain’s emails get no answer → those of the same tenant to another domain are all sent', async () => {
    const { provider, held } = holding((to) => to.endsWith('@silent.example'));
    await open([{ name: 'default', provider }]);
    await accept('acme', 2 * WAITING, 'silent.example');
    await postrider!.start();
    await waitFor(() => held() > 20, { timeoutMs: 30_000, what: 'many to be held' });
    await expectAllSent(await accept('acme', HEALTHY, 'quick.example'));
    // Those that found no place are given back, and wait in the ledger.
    expect(held()).toBeLessThan(2 * WAITING);
  });
});
