import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Who holds a data folder, as its lock file says, and whether that process can be seen from here. */
export interface Holder {
  pid: number;
  /** Start time of the process in clock ticks, where /proc tells. */
  started: string | null;
  host: string | null;
  /** The kernel's id since it was booted: the same for all containers of a machine. Null where there is no /proc. */
  boot: string | null;
  /** The list of processes it lives in; containers have one each. */
  processes: string | null;
  /** The name of its socket in the folder, where it could open one. */
  socket: string | null;
}

export async function identify(pid: number): Promise<Holder> {
  return {
    pid,
    started: (await processStat(pid))?.started ?? null,
    host: hostname(),
    boot: (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(unknown))?.trim() ?? null,
    processes: await readlink('/proc/self/ns/pid').catch(unknown),
    socket: null,
  };
}

/** Null for half a lock. One that only names a process is of this machine. */
export function parseHolder(content: string): Holder | null {
  try {
    const value = JSON.parse(content) as Partial<Holder>;
    if (!Number.isInteger(value.pid)) return null;
    const { pid, started, host, boot, processes, socket } = value;
    return { pid: pid as number, ...texts({ started, host, boot, processes, socket }) };
  } catch {
    return null;
  }
}

function texts<Name extends string>(values: Record<Name, unknown>): Record<Name, string | null> {
  const read = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : null,
  ]);
  return Object.fromEntries(read) as Record<Name, string | null>;
}

export function sharesKernel(holder: Holder, here: Holder): boolean {
  if (holder.boot !== null || here.boot !== null) return holder.boot === here.boot || holder.host === null;
  return holder.host === here.host || holder.host === null;
}

export function sharesProcesses(holder: Holder, here: Holder): boolean {
  return sharesKernel(holder, here) && (holder.processes === here.processes || holder.host === null);
}

export async function isRunning(holder: Holder): Promise<boolean> {
  if (!isAlive(holder.pid)) return false;
  const stat = await processStat(holder.pid);
  // Killed but not yet reaped by its parent, as under a container's first process.
  if (stat?.state === 'Z') return false;
  // Of a younger process that got the number since.
  return (stat?.started ?? null) === holder.started;
}

export function describeHolder({ pid, host }: Holder): string {
  return host === null || host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
}

async function processStat(pid: number): Promise<{ state: string; started: string } | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(unknown);
  if (stat === null) return null;
  // The command name in parentheses may hold blanks; after it come the state and, 20th, the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', started: fields[19] ?? '' };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** What /proc does not say is not known: there is none, or no such process, or not for us. */
function unknown(error: NodeJS.ErrnoException): null {
  if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR'].includes(error.code ?? '')) return null;
  throw error;
}
