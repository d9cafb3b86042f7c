/**
 * A process with one peer in it, told over IPC to insert and to deliver. Its emails are the ones everyone
 * gets; the module that makes them is named by the parent. Ends when its parent does.
 */
import { readFileSync } from 'node:fs';
import { openMailer } from './pooled-mailer.mjs';

const { peer: name, samples, ...services } = JSON.parse(process.env.BENCH_PEER);
const { sampleEmails } = await import(samples);
const peer = await import(`./${name}.mjs`);
const emails = sampleEmails(4000);
const queue = await peer.open(services);
const BATCH = 500;

process.on('message', async (command) => {
  switch (command.do) {
    case 'insert':
      process.send({ event: 'inserted', seconds: await insert(command) });
      break;
    case 'deliver':
      process.send({ event: 'delivered', ...(await deliver(command)) });
      break;
    case 'stop':
      await queue.close();
      process.exit(0);
  }
});
process.on('disconnect', () => process.exit(0));
process.send({
  event: 'ready',
  version: versionOf(name),
  node: process.version,
  settings: peer.settings,
  durability: peer.durability,
});

/** In batches by one caller; the seconds are of what came after the first `warm`. */
async function insert({ count, warm }) {
  if (warm % BATCH !== 0 || warm >= count) throw new Error('warm: whole batches, and fewer than all');
  let started = 0;
  for (let done = 0; done < count; done += BATCH) {
    if (done === warm) started = performance.now();
    const at = done % emails.length;
    await queue.insert(emails.slice(at, at + Math.min(BATCH, count - done)));
  }
  return (performance.now() - started) / 1000;
}

/** Until all are complete; the seconds, also those of the CPU, are of those after the first `warm`. */
async function deliver({ settings, total, warm }) {
  const mailer = openMailer({ port: services.smtp, connections: settings.connections });
  let done = 0;
  let started = 0;
  let cpu = process.cpuUsage();
  const end = await queue.work({
    settings,
    total,
    send: mailer.send,
    onDone: () => {
      if (++done !== warm) return;
      started = performance.now();
      cpu = process.cpuUsage();
    },
  });
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  if (done !== total) throw new Error(`${name} delivered ${done} of ${total}`);
  await end?.();
  mailer.close();
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}

function versionOf(peerName) {
  const packageName = peerName === 'nodemailer-alone' ? 'nodemailer' : peerName;
  const path = new URL(`./node_modules/${packageName}/package.json`, import.meta.url);
  return `${packageName} ${JSON.parse(readFileSync(path, 'utf8')).version}`;
}
