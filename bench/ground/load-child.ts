/**
 * A process that does one thing and says how long it took: accepts emails as an application does, or runs the
 * bare loop. On its own so that the Node it runs on can be chosen, and so that nothing else shares its heap.
 */
import { runBareLoop } from './bare-smtp-loop.js';
import { composeSamples } from './compose-samples.js';
import { openSender } from './open-sender.js';
import { sampleEmails } from './sample-emails.js';

export type Load =
  | { do: 'accept'; database: string; emails: number; warm: number }
  | { do: 'bare'; port: number; connections: number; emails: number; warm: number };

const BATCH = 500;

process.on('disconnect', () => process.exit(0));
const load = JSON.parse(process.env.BENCH_LOAD ?? '') as Load;
if (load.warm % BATCH !== 0 || load.warm >= load.emails)
  throw new Error('warm: whole batches, and fewer than all');
const seconds = load.do === 'accept' ? await accept(load) : await bare(load);
process.send?.({ seconds, node: process.version });
process.disconnect();

/** In batches by one caller; the seconds are of what came after the first `warm`. */
async function accept({ database, emails, warm }: Extract<Load, { do: 'accept' }>): Promise<number> {
  const sender = openSender(database);
  const samples = sampleEmails(4000);
  let started = 0;
  for (let done = 0; done < emails; done += BATCH) {
    if (done === warm) started = performance.now();
    const at = done % samples.length;
    await sender.sendBatch(samples.slice(at, at + Math.min(BATCH, emails - done)));
  }
  const seconds = (performance.now() - started) / 1000;
  await sender.stop();
  return seconds;
}

async function bare({ port, connections, emails, warm }: Extract<Load, { do: 'bare' }>): Promise<number> {
  const messages = await composeSamples();
  return (await runBareLoop({ port, connections, messages, total: emails - warm, warm })).seconds;
}
