/**
 * How much machinery a number of emails a day needs, from what one email was measured to cost. A straight model: CPU
 * time adds up, the busiest hour has an eighth of the day's emails, and nothing is planned fuller than 60 %. It knows
 * nothing of locks, networks and disks, so what goes beyond the rate that was run is marked as extrapolated, and what
 * one PostgreSQL can hardly give is planned as several stores.
 */
export interface Costs {
  /** CPU microseconds of one email. */
  acceptUs: number;
  acceptPostgresUs: number;
  workerUs: number;
  deliverPostgresUs: number;
  brokerUs: number;
  /** Bytes of write-ahead log, accepted and delivered. */
  walBytes: number;
  /** Bytes that stay after delivery, content and journal. */
  storedBytes: number;
  /** Delivered per second in the fastest run, on a machine that did everything else too. */
  measuredPerSecond: number;
}

export interface Size {
  perDay: number;
  /** In the busiest hour. */
  peakPerSecond: number;
  /** Processes of Node, each at most one core. */
  apiProcesses: number;
  workerProcesses: number;
  /** Cores of PostgreSQL, all stores together. */
  postgresCores: number;
  stores: number;
  brokerCores: number;
  walMbPerSecond: number;
  /** With content for 30 days. */
  storedGb: number;
  extrapolated: boolean;
}

const BUSIEST_HOUR = 1 / 8;
const FULLEST = 0.6;
/** What one PostgreSQL is planned with at most; beyond it tenants or regions are split. */
const STORE_CORES = 16;
const DAYS = 30;
/** Two of each process, so that one may be missing. */
const LEAST = 2;

export function sizeDeployment(perDay: number, costs: Costs): Size {
  const peakPerSecond = (perDay * BUSIEST_HOUR) / 3600;
  const cores = (us: number) => (peakPerSecond * us) / 1e6 / FULLEST;
  const postgresCores = cores(costs.acceptPostgresUs + costs.deliverPostgresUs);
  return {
    perDay,
    peakPerSecond,
    apiProcesses: Math.max(LEAST, Math.ceil(cores(costs.acceptUs))),
    workerProcesses: Math.max(LEAST, Math.ceil(cores(costs.workerUs))),
    postgresCores,
    stores: Math.max(1, Math.ceil(postgresCores / STORE_CORES)),
    brokerCores: cores(costs.brokerUs),
    walMbPerSecond: (peakPerSecond * costs.walBytes) / 1024 ** 2,
    storedGb: (perDay * DAYS * costs.storedBytes) / 1024 ** 3,
    extrapolated: peakPerSecond > costs.measuredPerSecond,
  };
}

export const DAILY = [100_000, 1_000_000, 10_000_000, 30_000_000, 100_000_000];

/** The row of a table for people. */
export function describeSize(size: Size): string {
  const broker = size.brokerCores > 0 ? `, broker ${round(size.brokerCores)} cores` : '';
  return [
    `${size.apiProcesses} API, ${size.workerProcesses} workers`,
    `PostgreSQL ${round(size.postgresCores)} cores in ${size.stores} ${size.stores === 1 ? 'store' : 'stores'}${broker}`,
    `WAL ${round(size.walMbPerSecond)} MB/s, ${round(size.storedGb)} GB kept`,
    size.extrapolated ? 'extrapolated' : 'within the measured rate',
  ].join('; ');
}

function round(value: number): string {
  return value >= 10 ? Math.round(value).toLocaleString('en') : value.toPrecision(2);
}
