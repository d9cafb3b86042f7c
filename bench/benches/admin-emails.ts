import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { tallyEnds } from '../../src/outbox/index.js';
import { openDatabase as openStore } from '../../src/store/index.js';
import type { Bench, Figure } from '../bench.js';
import { fillLog, LOG } from '../ground/fill-log.js';
import { openSender } from '../ground/open-sender.js';
import { quantile } from '../ground/quantiles.js';

const MILLION = 1_000_000;
const ROUNDS = 40;

/** How long an operator waits for a page of the log and its statistics with a million emails in it, by filter. */
export const adminEmails: Bench = {
  name: 'admin-emails',
  says: 'GET /admin/emails and the list of the dashboard with a million emails of a week, by filter',
  async run({ openDatabase, progress }) {
    const { client, url } = await openDatabase();
    await fillLog(client, {
      count: MILLION,
      onProgress: (done) =>
        progress(`filling: ${done.toLocaleString('en')} of ${MILLION.toLocaleString('en')}`),
    });
    const store = await openStore(url, {});
    progress('tallying');
    await tallyEnds(store, { behindMs: 0 });
    await store.close();
    const sender = openSender(url);
    const app = createHttpApp({
      ...{ rooms: httpRooms(sender), logger: silentLogger, clock: systemClock, bodyLimitBytes: 1024 ** 2 },
    });
    const samples = FILTERS.map(() => [] as number[]);
    // In turns, so that all meet the same machine; and past the fifth time, when the server keeps its plans.
    for (let round = -10; round < ROUNDS; round++) {
      for (const [index, { query, least, path = '/admin/emails' }] of FILTERS.entries()) {
        const started = performance.now();
        const answer = await app.request(`${path}?${query}`, {}, { remoteAddress: '127.0.0.1' });
        const body = (await answer.json()) as { emails?: unknown[] };
        if (round >= 0) samples[index]!.push(performance.now() - started);
        if (answer.status !== 200 || (body.emails?.length ?? 0) < least)
          throw new Error(`${query}: ${answer.status}, ${body.emails?.length} emails`);
      }
      progress(`${round + 1} of ${ROUNDS} rounds`);
    }
    await sender.stop();
    return FILTERS.map(
      ({ what }, index): Figure => ({
        what: `${what}, p95`,
        value: quantile(samples[index]!, 0.95),
        unit: 'ms',
        target: { atMost: 200 },
        note: `p50 ${quantile(samples[index]!, 0.5).toFixed(1)} ms`,
      }),
    );
  },
};

const FILTERS: ReadonlyArray<{ what: string; query: string; least: number; path?: string }> = [
  { what: 'no filter', query: '', least: 50 },
  { what: 'sent', query: 'status=sent', least: 50 },
  { what: 'failed', query: 'status=failed', least: 50 },
  { what: 'the large tenant', query: `companyId=${LOG.largeTenant}`, least: 50 },
  { what: 'a small tenant', query: `companyId=${LOG.smallTenant}`, least: 50 },
  { what: 'the large tenant, failed', query: `companyId=${LOG.largeTenant}&status=failed`, least: 1 },
  { what: 'a small tenant, failed', query: `companyId=${LOG.smallTenant}&status=failed`, least: 1 },
  { what: 'a type', query: `type=${LOG.type}`, least: 50 },
  { what: 'a type, failed', query: `type=${LOG.type}&status=failed`, least: 1 },
  { what: 'the usual provider', query: 'provider=smtp', least: 50 },
  { what: 'a rare provider', query: `provider=${LOG.rareProvider}`, least: 40 },
  { what: 'a rare provider, sent', query: `provider=${LOG.rareProvider}&status=sent`, least: 40 },
  { what: 'a rare provider, failed', query: `provider=${LOG.rareProvider}&status=failed`, least: 0 },
  { what: 'an unknown provider', query: 'provider=ses', least: 0 },
  { what: 'a recipient', query: `recipient=${encodeURIComponent(LOG.recipient)}`, least: 10 },
  { what: 'the last day', query: 'days=1', least: 50 },
  { what: 'ten days', query: 'days=10', least: 50 },
  ...[
    { what: 'the dashboard, no filter', query: 'limit=50', least: 50 },
    { what: 'the dashboard, failed', query: 'limit=50&status=failed', least: 50 },
    { what: 'the dashboard, a type', query: `limit=50&type=${LOG.type}`, least: 50 },
    {
      what: 'the dashboard, a recipient',
      query: `recipient=${encodeURIComponent(LOG.recipient)}`,
      least: 10,
    },
  ].map((filter) => ({ ...filter, path: '/v1/emails' })),
  { what: 'a failed page far back', query: 'status=failed&page=200', least: 50 },
];
