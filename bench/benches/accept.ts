import type { Bench } from '../bench.js';
import { openSender } from '../ground/open-sender.js';
import { sampleEmails } from '../ground/sample-emails.js';

/** How fast emails are taken in: validated, hashed, and committed to disk. */
export const accept: Bench = {
  name: 'accept',
  says: 'sendBatch(500) and single send() of rendered emails of about 5 KB',
  async run({ openDatabase, progress }) {
    const database = await openDatabase();
    const sender = openSender(database.url);
    const emails = sampleEmails(4000);
    await sender.sendBatch(emails.slice(0, 500));

    const batches: number[] = [];
    const batchStart = performance.now();
    for (let round = 0; round < 40; round++) {
      const at = (round % 8) * 500;
      const started = performance.now();
      await sender.sendBatch(emails.slice(at, at + 500));
      batches.push(performance.now() - started);
      if (round % 10 === 9) progress(`${(round + 1) * 500} of 20000 in batches`);
    }
    const batchRate = 20_000 / ((performance.now() - batchStart) / 1000);

    const singleRate = async (callers: number, count: number) => {
      let left = count;
      const started = performance.now();
      const caller = async () => {
        while (left-- > 0) await sender.send(emails[left % emails.length]!);
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return count / ((performance.now() - started) / 1000);
    };
    progress('one at a time');
    const alone = await singleRate(1, 1000);
    progress('ten callers at once');
    const together = await singleRate(10, 5000);
    await sender.stop();
    const bytes = emails.reduce((sum, e) => sum + (e.html?.length ?? 0) + (e.text?.length ?? 0), 0);
    return [
      {
        what: 'sendBatch(500), one caller',
        value: batchRate,
        unit: 'emails/s',
        note: `${Math.round(bytes / emails.length)} bytes of body on average`,
      },
      { what: 'send(), one caller', value: alone, unit: 'emails/s', note: 'each its own commit with fsync' },
      { what: 'send(), ten callers', value: together, unit: 'emails/s' },
    ];
  },
};
