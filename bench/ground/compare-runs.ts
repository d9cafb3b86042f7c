import type { Figure } from '../bench.js';

/** What Postrider and the peers reached, as figures: the best of the rounds, and their ratios. */
export interface Run {
  /** Emails per second. */
  accepted: number;
  delivered: number;
  /** What an email costs the process and its database to deliver, in microseconds; null where it cannot be read. */
  processCpu: number;
  serverCpu: number | null;
}

export interface Contender {
  name: string;
  /** Version, settings and durability in words. */
  about: string;
  runs: Run[];
}

/** `mailer` is nodemailer with no queue behind it; `bare` the rates of the loop that only sends. */
export function compareRuns(field: {
  ours: Contender;
  queues: Contender[];
  mailer: Contender;
  bare: number[];
}): Figure[] {
  const { ours, queues, mailer } = field;
  const unit = 'emails/s';
  const bare = Math.max(...field.bare);
  const delivered = best(ours, 'delivered');
  const ratio = (kind: Rate) => best(ours, kind) / Math.max(...queues.map((queue) => best(queue, kind)));
  const costs = [ours, ...queues].map((contender) => ({ contender, cost: cpuOf(contender) }));
  const cheapest = Math.min(...costs.slice(1).map(({ cost }) => cost));
  return [
    ...[ours, ...queues, mailer].map((contender) => ({
      what: `delivered: ${contender.name}`,
      value: best(contender, 'delivered'),
      unit,
      note: `${contender.about}; ${rounds(contender.runs.map((run) => run.delivered))}`,
    })),
    { what: 'delivered: bare pipelined loop', value: bare, unit, note: rounds(field.bare) },
    {
      what: 'delivered, against the best peer',
      value: ratio('delivered'),
      unit: '×',
      target: { atLeast: 10 },
    },
    {
      what: 'delivered, share of the bare loop',
      value: (delivered / bare) * 100,
      unit: '%',
      target: { atLeast: 30 },
    },
    ...costs.map(({ contender, cost }) => ({
      what: `CPU to deliver one: ${contender.name}`,
      value: cost,
      unit: 'µs',
      note: 'process and database together, the least of the rounds',
    })),
    { what: 'CPU to deliver one, cheapest peer against ours', value: cheapest / costs[0]!.cost, unit: '×' },
    ...[ours, ...queues].map((contender) => ({
      what: `accepted in batches of 500: ${contender.name}`,
      value: best(contender, 'accepted'),
      unit,
      note: rounds(contender.runs.map((run) => run.accepted)),
    })),
    {
      what: 'accepted, against the best peer',
      value: ratio('accepted'),
      unit: '×',
      target: { atLeast: 1.5 },
    },
  ];
}

type Rate = 'accepted' | 'delivered';

function best({ runs }: Contender, kind: Rate): number {
  return Math.max(...runs.map((run) => run[kind]));
}

function cpuOf({ runs }: Contender): number {
  return Math.min(...runs.map((run) => run.processCpu + (run.serverCpu ?? 0)));
}

function rounds(values: number[]): string {
  return `all rounds: ${values.map(Math.round).join(', ')}`;
}
