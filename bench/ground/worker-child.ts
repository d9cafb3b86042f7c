/**
 * A process with one real worker, told over IPC what to report. Its provider is either none at all (every
 * email is sent at once, or after a given time) or SMTP. Ends when its parent does.
 */
import { createPostrider, type PostriderOptions } from '../../src/index.js';
import { onKillPoint } from '../../src/kernel/index.js';
import type { Provider } from '../../src/providers/index.js';

export interface WorkerOptions {
  database: string;
  /** SMTP to this port of loopback; without it the null provider. */
  smtpPort?: number;
  /** Routes over SMTP to these ports of loopback, instead of one. */
  routes?: Array<{ name: string; port: number; companies?: string[] }>;
  /** How long the null provider takes. */
  sendMs?: number;
  concurrency?: number;
  poolSize?: number;
  /** Opens the secrets of webhooks, which may then go to loopback. */
  secretKeys?: string;
}

export type WorkerCommand =
  | { do: 'expect'; settled: number }
  | { do: 'usage' }
  /** Accepts one email in this very process. */
  | { do: 'send'; subject: string }
  | { do: 'stop' };

export type WorkerEvent =
  | { event: 'ready' }
  | { event: 'reached'; at: number; settled: number }
  | { event: 'usage'; cpuMs: number; sends: number; settled: number }
  | { event: 'accepted'; at: number }
  /** An email whose subject or recipient starts with PROBE reached the provider; `claimedAt` is the last claim before. */
  | { event: 'probe'; subject: string; to: string; at: number; claimedAt: number; sends: number }
  | { event: 'stopped' };

export const PROBE = 'probe';

/** Milliseconds of the system's monotonic clock, which all processes share. */
const now = () => Number(process.hrtime.bigint()) / 1e6;

const options = JSON.parse(process.env.BENCH_WORKER ?? '{}') as WorkerOptions;
const tell = (event: WorkerEvent) => process.send?.(event);
let sends = 0;
let settled = 0;
let expected = Number.POSITIVE_INFINITY;
let claimedAt = 0;

onKillPoint((name) => {
  if (name === 'worker:claimed') claimedAt = now();
});

const postrider = createPostrider({
  database: options.database,
  from: { address: 'noreply@example.com' },
  ...waysOut(),
  config: {
    email: { mode: 'smtp' },
    smtp: { host: '127.0.0.1', port: options.smtpPort ?? 25 },
    database: { poolSize: options.poolSize ?? 10 },
    instance: { name: `bench-${process.pid}` },
    log: { level: 'error' },
    worker: options.concurrency ? { concurrency: options.concurrency } : {},
    ...(options.secretKeys && {
      access: { secretKeys: options.secretKeys },
      webhooks: { allowPrivate: true },
    }),
  },
});

const { provider, metrics } = postrider;
const send = provider.send.bind(provider);
provider.send = (email, attempt) => {
  sends++;
  const to = email.to[0]?.address ?? '';
  if (email.subject.startsWith(PROBE) || to.startsWith(PROBE)) {
    tell({ event: 'probe', subject: email.subject, to, at: now(), claimedAt, sends });
  }
  return send(email, attempt);
};
const ended = metrics.ended.bind(metrics);
metrics.ended = (state) => {
  ended(state);
  settled++;
  if (settled < expected) return;
  expected = Number.POSITIVE_INFINITY;
  tell({ event: 'reached', at: now(), settled });
};

process.on('message', async (command: WorkerCommand) => {
  switch (command.do) {
    case 'expect':
      if (settled >= command.settled) tell({ event: 'reached', at: now(), settled });
      else expected = command.settled;
      break;
    case 'usage': {
      const { user, system } = process.cpuUsage();
      tell({ event: 'usage', cpuMs: (user + system) / 1000, sends, settled });
      break;
    }
    case 'send':
      await postrider.send({ to: 'probe@example.com', subject: command.subject, text: 'Are you awake?' });
      tell({ event: 'accepted', at: now() });
      break;
    case 'stop':
      await postrider.stop({ deadlineMs: 5000 });
      tell({ event: 'stopped' });
      process.disconnect();
  }
});
process.on('disconnect', () => process.exit(0));

await postrider.ready();
await postrider.start();
tell({ event: 'ready' });

function waysOut(): Pick<PostriderOptions, 'routes' | 'provider'> {
  if (options.routes) {
    const overSmtp = ({ port, ...rest }: { name: string; port: number; companies?: string[] }) =>
      ({ ...rest, mode: 'smtp', smtp: { host: '127.0.0.1', port } }) as const;
    return { routes: options.routes.map(overSmtp) };
  }
  return options.smtpPort === undefined ? { provider: nullProvider(options.sendMs ?? 0) } : {};
}

function nullProvider(sendMs: number): Provider {
  const sent = { kind: 'sent', providerMessageId: null, trace: { stage: 'reply' } } as const;
  return {
    name: 'null',
    send: async () => {
      if (sendMs > 0) await new Promise((resolve) => setTimeout(resolve, sendMs));
      return sent;
    },
    testConnection: async () => ({ ok: true, message: 'nothing to test' }),
    close: async () => {},
  };
}
