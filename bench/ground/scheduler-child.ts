/** A process that carries out schedules and does nothing else; told over IPC which to run. Ends when its parent does. */
import { setTimeout as pause } from 'node:timers/promises';
import { createPostrider } from '../../src/index.js';

export interface SchedulerOptions {
  database: string;
}

export type SchedulerEvent =
  | { event: 'ready' }
  | { event: 'progress'; queued: number }
  | { event: 'over'; queued: number; ms: number }
  | { event: 'failed'; message: string };

const options = JSON.parse(process.env.BENCH_SCHEDULER ?? '{}') as SchedulerOptions;
const tell = (event: SchedulerEvent) => process.send?.(event);
const postrider = createPostrider({
  database: options.database,
  from: { address: 'noreply@example.com' },
  config: { email: { mode: 'console' }, log: { level: 'error' } },
});

async function run(name: string): Promise<void> {
  const [started] = await postrider.schedules.runNow(name);
  for (;;) {
    await pause(250);
    const [seen] = await postrider.schedules.runs(name, { limit: 1 });
    if (!started || !seen) throw new Error('there is nothing to run');
    if (seen.state === 'running') tell({ event: 'progress', queued: seen.queued });
    else if (seen.state !== 'done') throw new Error(`it ended as ${seen.state}: ${seen.lastError}`);
    else {
      const ms = seen.finishedAt!.getTime() - seen.startedAt.getTime();
      return void tell({ event: 'over', queued: seen.queued, ms });
    }
  }
}

process.on('message', async (command: { run?: string; stop?: true }) => {
  try {
    if (command.run) await run(command.run);
    if (command.stop) {
      await postrider.stop({ deadlineMs: 1000 });
      process.disconnect();
    }
  } catch (error) {
    tell({ event: 'failed', message: String(error) });
  }
});
process.on('disconnect', () => process.exit(0));

await postrider.ready();
await postrider.schedules.start();
tell({ event: 'ready' });
