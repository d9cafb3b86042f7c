import { expect, test, vi } from 'vitest';
import { silentLogger, systemClock } from '../kernel/index.js';
import type { Claim, Ledger, OpenedEmail } from '../outbox/index.js';
import type { Provider, RouteBoard } from '../providers/index.js';
import { BeginMarks } from './begin-marks.js';
import { type OpenTools, openBatch, received } from './open-batch.js';
import { openedEmail } from './opened-email.fixture.js';
import { createPipelineMetrics } from './pipeline-metrics.js';

/** Which emails are marked as begun with the statement that opens them. */
async function openAll(
  claims: ReadonlyArray<Partial<Claim>>,
  servedAtOnce: Record<string, number>,
): Promise<{ opened: string[]; begunLater: string[]; sent: string[] }> {
  const opened: string[] = [];
  const begunLater: string[] = [];
  const sent: string[] = [];
  const gone: string[] = [];
  const provider: Partial<Provider> = {
    name: 'scripted',
    callsBegin: true,
    async send({ id }, attempt) {
      if (await attempt.begin?.()) sent.push(id);
      return { kind: 'sent', providerMessageId: null, trace: { stage: 'reply' } };
    },
  };
  const route = (name: string) => ({ name, provider: provider as Provider });
  const routes: Partial<RouteBoard> = {
    servedAtOnce: (name) => servedAtOnce[name] ?? 0,
    candidates: (name) =>
      [{ route: route(name), enter: () => ({ kind: 'pass', probe: false }), leave() {} }] as never,
  };
  const ledger: Partial<Ledger> = {
    async open(batch) {
      opened.push(...batch.flatMap(({ id, begins }) => (begins ? [id] : [])));
      return batch.map(
        ({ id, route, begins = false, atMostOnce, groupLimit }): OpenedEmail =>
          openedEmail({
            id,
            route,
            begun: begins,
            delivery: atMostOnce ? 'at-most-once' : 'at-least-once',
            suspect: groupLimit !== undefined,
          }),
      );
    },
    async begin(batch) {
      begunLater.push(...batch.map(({ id }) => id));
      return new Set(batch.map(({ id }) => id));
    },
    pauses: async () => ({ all: false, routes: new Set(), tenants: [], types: new Set() }) as never,
  };
  const tools: OpenTools = {
    ledger: ledger as Ledger,
    settler: { add: async () => 'settled', drain: async () => {}, abandon() {} },
    routes: routes as RouteBoard,
    marks: new BeginMarks(ledger as Ledger, silentLogger),
    sender: { address: 'noreply@example.com' },
    region: null,
    staging: { redirectAllTo: null, allowedDomains: null },
    mayDeliver: () => true,
    signal: new AbortController().signal,
    sendTimeoutMs: 1000,
    clock: systemClock,
    random: () => 0,
    logger: silentLogger,
    debugs: false,
    informs: false,
    metrics: createPipelineMetrics(),
    onBegun() {},
    onWaiting() {},
    onPassedOver() {},
    onAttempted() {},
    completeFromSql() {},
    findMissingRecipients: async () => new Set(),
    findSuppressed: async () => new Map(),
    maxAttempts: null,
    onGone: ({ id }) => gone.push(id),
    onFault() {
      throw new Error('no fault was planned');
    },
  };
  const batch = claims.map((parts, at) => ({
    ...{ id: uuid(at), token: 1, bytes: 20, route: 'a', atMostOnce: false },
    ...parts,
  }));
  await openBatch(received(batch, 0), tools);
  await vi.waitFor(() => expect(gone).toHaveLength(claims.length));
  const places = (ids: string[]) => ids.map((id) => String(batch.findIndex((claim) => claim.id === id)));
  return { opened: places(opened), begunLater: places(begunLater), sent: places(sent) };
}

const uuid = (at: number) => `0192f0c1-7b2e-7000-8000-${String(at).padStart(12, '0')}`;

test('two of four have a connection at once → these are begun as they are opened, the others when they have one', async () => {
  const all = await openAll([{}, {}, {}, {}], { a: 2 });
  expect(all).toMatchObject({ opened: ['0', '1'], begunLater: ['2', '3'] });
  expect([...all.sent].sort()).toEqual(['0', '1', '2', '3']);
});

test('two routes → each by its own connections', async () => {
  const all = await openAll([{ route: 'a' }, { route: 'b' }, { route: 'b' }], { a: 1, b: 1 });
  expect(all).toMatchObject({ opened: ['0', '1'], begunLater: ['2'] });
});

test('at-most-once, a suspect → begun only with their connection, and they take nobody’s place', async () => {
  const all = await openAll([{ atMostOnce: true }, { groupLimit: 4 }, {}], { a: 1 });
  expect(all.opened).toEqual(['2']);
  expect([...all.begunLater].sort()).toEqual(['0', '1']);
});
