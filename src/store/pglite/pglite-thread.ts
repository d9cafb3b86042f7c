import './keep-byte-order-marks.js';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';

/**
 * The embedded database in a thread of its own: a claim of 500 would block the main thread 38 ms.
 * It answers one request at a time; who may ask when is decided by the client.
 */
export interface ThreadRequest {
  id: number;
  op: 'query' | 'exec' | 'listen' | 'close';
  text: string;
  values?: unknown[];
}

export interface ThreadAnswer {
  id: number;
  rows?: unknown[];
  affectedRows?: number;
  error?: { message: string; code?: string };
}

const port = parentPort;
if (port) {
  const opened = PGlite.create((workerData as { folder: string }).folder);
  opened.then(
    () => port.postMessage({ id: 0 } satisfies ThreadAnswer),
    (error: Error) => port.postMessage({ id: 0, error: { message: error.message } } satisfies ThreadAnswer),
  );
  port.on('message', async (request: ThreadRequest) => {
    try {
      const answer = await handle(await opened, request);
      port.postMessage({ ...answer, id: request.id } satisfies ThreadAnswer);
    } catch (error) {
      const { message, code } = error as { message: string; code?: string };
      port.postMessage({ id: request.id, error: { message, code } } satisfies ThreadAnswer);
    }
  });
}

async function handle(db: PGlite, request: ThreadRequest): Promise<Omit<ThreadAnswer, 'id'>> {
  switch (request.op) {
    case 'query': {
      const result = await db.query(request.text, request.values);
      return { rows: result.rows, affectedRows: result.affectedRows };
    }
    case 'exec':
      await db.exec(request.text);
      return {};
    case 'listen':
      await db.listen(request.text, () => port?.postMessage({ bell: request.text }));
      return {};
    case 'close':
      await db.close();
      return {};
  }
}
