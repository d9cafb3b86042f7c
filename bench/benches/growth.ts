import type pg from 'pg';
import type { Bench, Figure } from '../bench.js';
import { type BenchDatabase, type BenchServer, startBenchServer } from '../ground/bench-server.js';
import { compareShape, fillGrowth, GROWTH_EMAILS, growthSize } from '../ground/fill-growth.js';
import { type GrowthCost, measureGrowth, measureWeeks } from '../ground/measure-growth.js';
import { openSender } from '../ground/open-sender.js';
import { startSmtpSink } from '../ground/smtp-sink.js';
import { spawnWorker } from '../ground/spawn-worker.js';

/**
 * What reads and work cost with 1, 10 and 100 times as many emails, people and tenants, on a server as it comes.
 * `BENCH_GROWTH` is the smallest number of emails.
 */
export const growth: Bench = {
  name: 'growth',
  says: 'costs with 1, 10 and 100 times as many emails, people and tenants; PostgreSQL as it comes',
  async run({ progress }) {
    const base = Number(process.env.BENCH_GROWTH ?? 10_000);
    const server = closingServer(await startBenchServer({}));
    try {
      const sizes = [base, base * 10, base * 100];
      const measured: GrowthCost[][] = [];
      for (const emails of sizes) {
        const shown = emails.toLocaleString('en');
        const opened = await server.open();
        const size = growthSize(emails);
        await fillGrowth(opened.client, size, (done) => progress(`${shown}: filled ${done}`));
        if (measured.length === 0) await refuseOtherShape(server, opened.client);
        measured.push(
          await measureGrowth({
            ...{ url: opened.url, client: opened.client, size },
            progress: (what) => progress(`${shown}: ${what}`),
          }),
        );
        await opened.drop();
      }
      return [...growthFigures(sizes, measured), ...(await weekFigures(server, progress))];
    } finally {
      await server.remove();
    }
  },
};

/** Drops what is still open before the server goes, so that a failure is not followed by that of a lost connection. */
function closingServer(server: BenchServer): BenchServer {
  const open = new Set<BenchDatabase>();
  return {
    ...server,
    async open() {
      const database = await server.open();
      open.add(database);
      return {
        ...database,
        async drop() {
          open.delete(database);
          await database.drop();
        },
      };
    },
    async remove() {
      for (const database of open) await database.drop();
      await server.remove();
    },
  };
}

const WEEKS = [15, 54, 106, 159, 315];

async function weekFigures(server: BenchServer, progress: (text: string) => void): Promise<Figure[]> {
  const opened = await server.open();
  await fillGrowth(opened.client, growthSize(10_000));
  const measured: GrowthCost[][] = [];
  for (const weeks of WEEKS) {
    progress(`${weeks} weeks`);
    measured.push(await measureWeeks({ url: opened.url, client: opened.client, weeks }));
  }
  await opened.drop();
  return measured[0]!.map(
    ({ row, what, unit }, at): Figure => ({
      what: `row ${row}, ${what}, ${WEEKS.at(-1)} weeks`,
      value: measured.at(-1)![at]!.cost,
      unit,
      note: WEEKS.map((weeks, n) => `${weeks}: ${measured[n]![at]!.cost.toPrecision(3)}`).join(', '),
    }),
  );
}

export function growthFigures(sizes: readonly number[], measured: readonly GrowthCost[][]): Figure[] {
  return measured[0]!.map(({ row, what, unit }, at): Figure => {
    const costs = measured.map((costs) => costs[at]!.cost);
    const note = costs.map((cost, n) => `${power(sizes[n]!)}: ${cost.toPrecision(3)} ${unit}`).join(', ');
    return {
      what: `row ${row}, ${what}`,
      value: slopeOf(costs),
      unit: 'slope',
      // A tenth of the cost's own size a decade: an index that is one level deeper, not a table that is read.
      target: { atMost: MOST_SLOPE },
      note,
    };
  });
}

/** The exponent of the cost over the size: 0 does not grow, 1 grows as the size does. */
export function slopeOf(costs: readonly number[]): number {
  return Math.log10(costs.at(-1)! / costs[0]!) / (costs.length - 1);
}

export const MOST_SLOPE = 0.25;

function power(size: number): string {
  const exponent = Math.log10(size);
  return Number.isInteger(exponent) ? `10^${exponent}` : size.toLocaleString('en');
}

/** A fill that is not what the code writes would measure something else. */
async function refuseOtherShape(server: BenchServer, filled: pg.Client): Promise<void> {
  const real = await server.open();
  const sink = await startSmtpSink();
  const sender = openSender(real.url);
  await sender.sendBatch(GROWTH_EMAILS);
  await sender.stop();
  const worker = await spawnWorker({ database: real.url, smtpPort: sink.port });
  await worker.ask({ do: 'expect', settled: GROWTH_EMAILS.length }, 'reached');
  await worker.stop();
  await sink.stop();
  const differences = await compareShape(real.client, filled);
  await real.drop();
  if (differences.length > 0) throw new Error(`the fill is not what a run writes: ${differences.join('; ')}`);
}
