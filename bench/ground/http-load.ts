import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker, workerData } from 'node:worker_threads';

/** Callers on a thread of their own that post the same bodies in turn over kept connections, each after its answer. */
export interface Load {
  url: string;
  bodies: string[];
  /** A bearer token. */
  as?: string;
  callers: number;
  count: number;
}

export interface LoadReport {
  seconds: number;
  latenciesMs: number[];
  refused: number;
}

export function postLoad(load: Load): Promise<LoadReport> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: load });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function run({ url, bodies, as, callers, count }: Load): Promise<LoadReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const latenciesMs: number[] = [];
  let left = count;
  let refused = 0;
  const post = (body: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        ...{ 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) },
        ...(as !== undefined && { Authorization: `Bearer ${as}` }),
      };
      const outgoing = request(url, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.once('end', () => resolve(answer.statusCode ?? 0));
      });
      outgoing.once('error', reject);
      outgoing.end(body);
    });
  const started = performance.now();
  const caller = async () => {
    while (left-- > 0) {
      const begun = performance.now();
      const status = await post(bodies[left % bodies.length]!);
      latenciesMs.push(performance.now() - begun);
      if (status >= 300) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  agent.destroy();
  return { seconds: (performance.now() - started) / 1000, latenciesMs, refused };
}

if (parentPort) parentPort.postMessage(await run(workerData as Load));
