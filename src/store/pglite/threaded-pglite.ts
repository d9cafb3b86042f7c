import { Worker } from 'node:worker_threads';
import { PostriderError } from '../../kernel/index.js';
import type { PgliteConnection, PgliteResult, PgliteTransaction } from './pglite-connection.js';
import type { ThreadAnswer, ThreadRequest } from './pglite-thread.js';

/**
 * Client of the database thread. One connection: requests take turns, a transaction keeps its turn
 * until it ends. When the thread dies, everything waiting fails and so does every later call.
 */
export async function openThreadedPglite(folder: string): Promise<PgliteConnection> {
  const thread = new Worker(new URL('./pglite-thread.js', import.meta.url), { workerData: { folder } });
  const waiting = new Map<number, { resolve(answer: ThreadAnswer): void; reject(error: Error): void }>();
  const bells = new Map<string, Set<(payload: string) => void>>();
  let lastId = 0;
  let dead: Error | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  const die = (error: Error) => {
    dead ??= new PostriderError('STORE_UNAVAILABLE', 'The embedded database has stopped.', { cause: error });
    for (const { reject } of waiting.values()) reject(dead);
    waiting.clear();
  };
  thread.on('error', die);
  thread.on('exit', (code) => die(new Error(`database thread ended with ${code}`)));
  thread.on('message', (message: ThreadAnswer | { bell: string }) => {
    if ('bell' in message) {
      for (const fn of bells.get(message.bell) ?? []) fn('');
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (!message.error) call?.resolve(message);
    else call?.reject(Object.assign(new Error(message.error.message), { code: message.error.code }));
  });

  const ask = (op: ThreadRequest['op'], text: string, values?: unknown[]): Promise<ThreadAnswer> =>
    new Promise((resolve, reject) => {
      if (dead) return reject(dead);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      thread.postMessage({ id, op, text, values } satisfies ThreadRequest);
    });

  /** Runs when every earlier holder of the connection has finished. */
  const takeTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work, work);
    turn = mine.catch(() => undefined);
    return mine;
  };

  const query = async (text: string, values?: unknown[]): Promise<PgliteResult> => {
    const answer = await ask('query', text, values);
    return { rows: answer.rows ?? [], affectedRows: answer.affectedRows };
  };
  const inTransaction: PgliteTransaction = { query, exec: (sql) => ask('exec', sql) };

  await new Promise<void>((resolve, reject) => waiting.set(0, { resolve: () => resolve(), reject }));

  return {
    query: (text, values) => takeTurn(() => query(text, values)),
    exec: (sql) => takeTurn(() => ask('exec', sql)),
    transaction: (work) =>
      takeTurn(async () => {
        await ask('exec', 'begin');
        try {
          const result = await work(inTransaction);
          await ask('exec', 'commit');
          return result;
        } catch (error) {
          await ask('exec', 'rollback');
          throw error;
        }
      }),
    async listen(channel, fn) {
      const known = bells.get(channel);
      if (known) known.add(fn);
      else {
        bells.set(channel, new Set([fn]));
        await takeTurn(() => ask('listen', channel));
      }
      return () => bells.get(channel)?.delete(fn);
    },
    async close() {
      if (!dead) await takeTurn(() => ask('close', ''));
      dead ??= new PostriderError('STOPPED', 'The embedded database is closed.');
      await thread.terminate();
    },
  };
}
