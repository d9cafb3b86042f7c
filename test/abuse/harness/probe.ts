/**
 * Loaded into the process under attack before anything of Postrider (`--import`). Measures the longest stall of its event
 * loop and its peak memory, and reports both over IPC when asked.
 *
 * A stall is processor time of the main thread between two ticks of a timer, not wall time: a process that waits for
 * its turn on a crowded machine does not stall. Processor time on Linux is `schedstat` of the main thread, which does not
 * count the compiler's and the collector's threads; elsewhere it is that of the whole process, at most the wall time.
 */
import { openSync, readFileSync, readSync, writeFileSync } from 'node:fs';

export type ProbeRequest = { do: 'begin'; collect: boolean } | { do: 'end' } | { do: 'reference' };

export interface ProbeReport {
  /** The longest stall since `begin`, in milliseconds. */
  stallMs: number;
  /** Resident memory at `begin`. */
  restBytes: number;
  /** The most resident memory since `begin`. */
  peakBytes: number;
  /** For `reference`: processor time of a fixed piece of work, which says how fast this machine is now. */
  referenceMs: number;
}

const EVERY_MS = 5;
const hasPeak = process.platform === 'linux';
const buffer = Buffer.alloc(128);
/** The main thread's own counters, opened once; null where the system has none. */
const counters = openCounters();
let restBytes = 0;
let peakBytes = 0;
/** Resident memory once everything is loaded; far above it there is garbage, which would hide a peak. */
let settledBytes = 0;
let longestMs = 0;
let cpuMs = cpuMsNow();
let wallMs = performance.now();

setInterval(tick, EVERY_MS).unref();
process.on('message', (request: ProbeRequest) => answer(request));
process.on('disconnect', () => process.exit(1));
process.channel?.unref();
trustCertificateOfTests();

function tick(): void {
  const cpu = cpuMsNow();
  const wall = performance.now();
  longestMs = Math.max(longestMs, Math.min(cpu - cpuMs, wall - wallMs));
  cpuMs = cpu;
  wallMs = wall;
  if (!hasPeak) peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}

function answer(request: ProbeRequest): void {
  tick();
  if (request.do === 'begin') begin(request.collect);
  const referenceMs = request.do === 'reference' ? reference() : 0;
  const report: ProbeReport = {
    stallMs: longestMs,
    restBytes,
    peakBytes: Math.max(peakBytes, memoryOf('VmHWM')),
    referenceMs,
  };
  process.send?.(report);
}

function begin(collect: boolean): void {
  if (settledBytes === 0 || collect || memoryOf('VmRSS') > settledBytes + 32 * 1024 ** 2) {
    globalThis.gc?.();
    globalThis.gc?.();
    settledBytes = memoryOf('VmRSS');
  }
  forgetPeak();
  restBytes = memoryOf('VmRSS');
  peakBytes = restBytes;
  cpuMs = cpuMsNow();
  wallMs = performance.now();
  longestMs = 0;
}

/** What a parser does: a text is searched, split, counted. */
function reference(): number {
  const before = cpuMsNow();
  let count = 0;
  for (let round = 0; round < 8; round++) {
    const text = `<p class="${round}">`.repeat(20_000);
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 60) count += 1;
    count += text.split('<').length + text.replaceAll('class', 'style').length;
  }
  return count > 0 ? cpuMsNow() - before : 0;
}

function memoryOf(name: 'VmHWM' | 'VmRSS'): number {
  if (!hasPeak) return process.memoryUsage.rss();
  return (
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) *
    1024
  );
}

function forgetPeak(): void {
  if (hasPeak) writeFileSync('/proc/self/clear_refs', '5');
}

function cpuMsNow(): number {
  if (counters === null) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const length = readSync(counters, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

function openCounters(): number | null {
  try {
    return openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Notifications of SNS are signed by the harness; its certificate stands where Amazon's would be fetched. */
function trustCertificateOfTests(): void {
  const { ABUSE_SNS_URL: url, ABUSE_SNS_CERTIFICATE: certificate } = process.env;
  if (!url || !certificate) return;
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    String(input) === url ? Promise.resolve(new Response(certificate)) : real(input, init);
}
