import { createPostrider, type Postrider } from '../../src/index.js';
import { sampleEmails } from './sample-emails.js';

/** Postrider as an application uses it to accept: no worker in this process. */
export function openSender(url: string): Postrider {
  return createPostrider({
    database: url,
    from: { address: 'noreply@example.com' },
    config: { email: { mode: 'console' }, log: { level: 'error' } },
  });
}

/** Accepts this many different emails of about 5 KB, in batches of 500. */
export async function acceptMany(
  url: string,
  count: number,
  onProgress: (done: number) => void = () => {},
): Promise<void> {
  const sender = openSender(url);
  const emails = sampleEmails(Math.min(count, 4000));
  for (let done = 0; done < count; done += 500) {
    const at = done % emails.length;
    await sender.sendBatch(emails.slice(at, at + Math.min(500, count - done)));
    if (done % 10_000 === 0) onProgress(done);
  }
  await sender.stop();
}
