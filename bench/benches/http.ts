import { Hono } from 'hono';
import pg from 'pg';
import { createHttpApp, startHttpServer } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import type { Bench, Figure } from '../bench.js';
import { type Load, postLoad } from '../ground/http-load.js';
import { openSender } from '../ground/open-sender.js';
import { quantile } from '../ground/quantiles.js';
import { sampleEmails } from '../ground/sample-emails.js';

const CALLERS = 16;
const WARM_UP = 500;

/** How fast the API accepts, beside the least such an API could do: the same framework and one insert. */
export const http: Bench = {
  name: 'http',
  says: 'POST /v1/email/send and batches of 100 of emails of about 5 KB, against a bare insert',
  async run({ openDatabase, progress }) {
    const database = await openDatabase();
    const sender = openSender(database.url);
    const pool = new pg.Pool({ connectionString: database.url, max: 10 });
    await sender.ready();
    await pool.query('create table bare (id bigserial primary key, email jsonb not null)');
    const bare = new Hono();
    bare.post('/send', async (c) => {
      const email = JSON.stringify(await c.req.json());
      const { rows } = await pool.query({
        ...{ name: 'bare', text: 'insert into bare (email) values ($1) returning id', values: [email] },
      });
      return c.json({ queued: true, emailId: rows[0].id }, 202);
    });
    const app = createHttpApp({
      ...{
        rooms: httpRooms(sender),
        logger: silentLogger,
        clock: systemClock,
        bodyLimitBytes: 16 * 1024 ** 2,
        access: sender.access,
      },
    });
    await sender.access.tenants.create({ companyId: 'bench' });
    const { token } = await sender.access.keys.create({ companyId: 'bench', name: 'bench' });
    const servers = [
      await startHttpServer({ app, host: '127.0.0.1', port: 0 }),
      await startHttpServer({ app: bare as unknown as typeof app, host: '127.0.0.1', port: 0 }),
    ] as const;
    const emails = sampleEmails(2000);
    const bodies = emails.map((email) => JSON.stringify(email));
    const hundreds = Array.from({ length: 20 }, (_, n) =>
      JSON.stringify(emails.slice(n * 100, n * 100 + 100)),
    );
    const at = (server: (typeof servers)[number], path: string) => `http://127.0.0.1:${server.port}${path}`;

    async function measure(what: string, load: Omit<Load, 'callers'>, each: number): Promise<Figure[]> {
      progress(what);
      await postLoad({ ...load, callers: CALLERS, count: Math.max(20, WARM_UP / each) });
      const report = await postLoad({ ...load, callers: CALLERS });
      if (report.refused > 0) throw new Error(`${what}: ${report.refused} requests were refused`);
      const rate = (load.count * each) / report.seconds;
      return [
        { what: `${what}, ${CALLERS} callers`, value: rate, unit: 'emails/s' },
        { what: `${what}, p99`, value: quantile(report.latenciesMs, 0.99), unit: 'ms' },
      ];
    }

    const single = await measure('bare insert', { url: at(servers[1], '/send'), bodies, count: 10_000 }, 1);
    const sends = await measure('send', { url: at(servers[0], '/v1/email/send'), bodies, count: 10_000 }, 1);
    // A key's emails are of its own tenant.
    const ofKey = emails.map((email) => JSON.stringify({ ...email, companyId: 'bench' }));
    const keyed = await measure(
      'send with a key',
      { url: at(servers[0], '/v1/email/send'), bodies: ofKey, as: token, count: 10_000 },
      1,
    );
    const batch = { url: at(servers[0], '/v1/email/batch'), bodies: hundreds, count: 200 };
    const batches = await measure('batch of 100', batch, 100);
    for (const server of servers) await server.stop({ deadlineMs: 1000 });
    await sender.stop();
    await pool.end();
    const share = { what: 'send, of the bare insert', value: sends[0]!.value / single[0]!.value, unit: '×' };
    return [...single, ...sends, share, ...keyed, ...batches];
  },
};
