/** A count as it is shown; an estimate says so. */
export function aboutCount(count: number, estimated = false): string {
  const shown = count.toLocaleString();
  return estimated && count > 0 ? `about ${shown}` : shown;
}
