import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** What processes have used, read from /proc; null where there is none (or the server is elsewhere). */
export function peakMemoryMb(pid: number): number | null {
  const status = read(`/proc/${pid}/status`);
  const match = status && /^VmHWM:\s+(\d+) kB$/m.exec(status);
  return match ? Number(match[1]) / 1024 : null;
}

/** CPU seconds of the whole server behind a connection, ended backends included. */
export async function serverCpuSeconds(client: pg.Client): Promise<number | null> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const backend = statOf(rows[0]?.pid ?? 0);
  if (!backend?.name.startsWith('postgres')) return null;
  const postmaster = backend.parent;
  let ticks = 0;
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? statOf(Number(entry)) : null;
    if (stat?.parent === postmaster) ticks += stat.ticks;
    if (stat && Number(entry) === postmaster) ticks += stat.ticks + stat.endedChildrenTicks;
  }
  return ticks / TICKS_PER_SECOND;
}

/** CPU seconds of one process. */
export function processCpuSeconds(pid: number): number | null {
  const stat = statOf(pid);
  return stat && stat.ticks / TICKS_PER_SECOND;
}

/** CPU seconds of this process and of its children that have ended. */
export function ownCpuSeconds(): number | null {
  const stat = statOf(process.pid);
  return stat && (stat.ticks + stat.endedChildrenTicks) / TICKS_PER_SECOND;
}

/** CPU seconds the whole machine has spent working. */
export function machineCpuSeconds(): number | null {
  const fields = read('/proc/stat')?.split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number);
  // user, nice, system, then idle and waiting, then the two kinds of interrupts
  return fields ? (fields[0]! + fields[1]! + fields[2]! + fields[5]! + fields[6]!) / TICKS_PER_SECOND : null;
}

/** Linux reports in hundredths of a second on every platform Node runs on. */
const TICKS_PER_SECOND = 100;

function statOf(
  pid: number,
): { name: string; parent: number; ticks: number; endedChildrenTicks: number } | null {
  const stat = read(`/proc/${pid}/stat`);
  if (!stat) return null;
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  return {
    name: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
    parent: fields[1]!,
    ticks: fields[11]! + fields[12]!,
    endedChildrenTicks: fields[13]! + fields[14]!,
  };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // gone meanwhile, or no /proc
  }
}
