/**
 * The known name a person most likely meant, or null when nothing is near. Ignores case and
 * separators first, so `SMTP_HOST` finds `smtp.host`; then the last part alone, so `port` finds
 * `http.port`; then spelling, within a third of the length.
 */
export function didYouMean(written: string, known: Iterable<string>): string | null {
  const names = [...known];
  const plain = bare(written);
  const same = names.find((name) => bare(name) === plain);
  if (same !== undefined) return same;
  const limit = plain.length < 4 ? 1 : Math.max(2, Math.ceil(plain.length / 3));
  let best: { name: string; distance: number } | null = null;
  for (const name of names) {
    const distance = editDistance(plain, bare(name));
    if (distance <= limit && (best === null || distance < best.distance)) best = { name, distance };
  }
  if (best !== null && best.distance <= 2) return best.name;
  const last = bare(written.slice(written.lastIndexOf('.') + 1));
  const byLast = names.find((name) => bare(name.slice(name.lastIndexOf('.') + 1)) === last);
  return byLast ?? best?.name ?? null;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
