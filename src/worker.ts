import { createPostrider, type Postrider, type PostriderOptions } from './postrider.js';

/**
 * A process that only delivers: opens the store and starts the worker. Call `stop` on SIGTERM; the
 * signal itself is the process's own business.
 */
export async function runWorker(options: PostriderOptions = {}): Promise<Postrider> {
  const postrider = createPostrider(options);
  await postrider.start();
  return postrider;
}
