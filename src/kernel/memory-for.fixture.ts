/** How much more memory the process had at once while `work` was done than before it, in bytes. */
export async function memoryFor(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const looking = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(looking);
    look();
  }
  return most - before;
}
