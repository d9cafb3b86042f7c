import { waitFor } from '../../services/index.js';
import type { Ground } from './open-ground.js';
import type { Served } from './spawn-serve.js';

/** What /health/ready answers; null while nobody listens there. */
export async function readiness(port: number, key?: string): Promise<Readiness | null> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    });
    return { status: answer.status, body: (await answer.json()) as Readiness['body'] };
  } catch {
    return null;
  }
}

export interface Readiness {
  status: number;
  body: { ok: boolean; checks: Record<string, { ok: boolean; message?: string } | undefined> };
}

export async function untilReady(port: number, process: Served): Promise<void> {
  await waitFor(async () => (await readiness(port))?.body.ok === true, {
    timeoutMs: 60_000,
    what: `a ready process\n${process.output()}`,
  });
}

/** Until so many workers have beaten for so long from now on. */
export async function untilBeaten(
  ground: Ground,
  { workers, forSeconds }: { workers: number; forSeconds: number },
): Promise<void> {
  const [now] = await ground.query<{ until: Date }>(
    `select clock_timestamp() + $1 * interval '1 second' as until`,
    [forSeconds],
  );
  const beaten = async () => {
    const rows = await ground.query('select id from postrider.workers where beat_at >= $1', [now!.until]);
    return rows.length >= workers;
  };
  await waitFor(beaten, { timeoutMs: (forSeconds + 30) * 1000, what: `${workers} workers that beat` });
}
