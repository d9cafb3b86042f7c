/**
 * A process to be killed: Postrider with a worker, told what to do over IPC. With `killAt` it dies by
 * SIGKILL at the N-th kill point it passes and says nothing more.
 */

import { createPostrider, type EmailInput } from '../../../src/index.js';
import { onKillPoint } from '../../../src/kernel/index.js';

export interface ChildOptions {
  database: string | { folder: string };
  smtpPort: number;
  /** Dies at this kill point, counted from the start of the process. */
  killAt?: number;
  /** Dies whenever an email with this word in its subject is about to be sent. */
  poison?: string;
  /** Whether to run a worker. */
  work: boolean;
  instance?: string;
  concurrency?: number;
  batchSize?: number;
  logLevel?: 'debug' | 'info' | 'warn';
}

export type ChildCommand =
  | { do: 'send'; emails: EmailInput[] }
  | { do: 'stop'; deadlineMs: number }
  | { do: 'count' };

export type ChildEvent =
  | { event: 'ready' }
  | { event: 'accepted'; ids: string[] }
  | { event: 'stopped' }
  | { event: 'counted'; points: number; names: string[] }
  | { event: 'failed'; message: string };

const options = JSON.parse(process.env.CHAOS_OPTIONS ?? '{}') as ChildOptions;
let points = 0;
const names = new Set<string>();
onKillPoint((name) => {
  points++;
  names.add(name);
  if (points === options.killAt) process.kill(process.pid, 'SIGKILL');
});

const postrider = createPostrider({
  database: options.database,
  from: { address: 'noreply@example.com' },
  config: {
    email: { mode: 'smtp' },
    smtp: { host: '127.0.0.1', port: options.smtpPort },
    instance: { name: options.instance ?? `child-${process.pid}` },
    log: { level: options.logLevel ?? 'warn' },
    worker: {
      ...(options.concurrency ? { concurrency: options.concurrency } : {}),
      ...(options.batchSize ? { batchSize: options.batchSize } : {}),
    },
  },
});
if (options.poison) {
  const { provider } = postrider;
  const send = provider.send.bind(provider);
  const poison = options.poison;
  provider.send = (email, attempt) => {
    if (email.subject.includes(poison)) process.kill(process.pid, 'SIGKILL');
    return send(email, attempt);
  };
}

const tell = (event: ChildEvent) => process.send?.(event);

process.on('message', async (command: ChildCommand) => {
  try {
    switch (command.do) {
      case 'send': {
        const accepted = await postrider.sendBatch(command.emails);
        tell({ event: 'accepted', ids: accepted.map((answer) => answer.emailId) });
        break;
      }
      case 'count':
        tell({ event: 'counted', points, names: [...names] });
        break;
      case 'stop':
        await postrider.stop({ deadlineMs: command.deadlineMs });
        tell({ event: 'stopped' });
        process.disconnect();
    }
  } catch (error) {
    tell({ event: 'failed', message: String(error) });
  }
});
// The test is gone: nothing may stay behind.
process.on('disconnect', () => process.exit(0));

await postrider.ready();
if (options.work) await postrider.start();
tell({ event: 'ready' });
