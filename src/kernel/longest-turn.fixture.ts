/**
 * How long a work keeps the event loop from anything else: the most CPU time of this process between two of its turns,
 * in milliseconds, and all of it. CPU time, so that a crowded machine does not count as a slow program.
 */
export async function longestTurn(work: () => Promise<unknown>): Promise<{ longest: number; total: number }> {
  const begun = cpuMs();
  let last = begun;
  let longest = 0;
  let isOver = false;
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  look();
  return { longest, total: cpuMs() - begun };
}

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
